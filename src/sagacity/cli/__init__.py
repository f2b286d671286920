"""The command line; speaks through the client."""
