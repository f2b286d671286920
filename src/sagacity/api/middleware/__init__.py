"""What every call passes before its route: pure ASGI, one idea a file."""
