"""What is asked of the API server, and what it answers."""
