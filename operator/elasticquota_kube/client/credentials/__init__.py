"""Whose credentials are used, and how the server is reached and known."""
