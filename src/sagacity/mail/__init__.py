"""E-mail: what is sent, and how."""
