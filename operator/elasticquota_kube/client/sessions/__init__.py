"""What carries requests to the API server: one session for processes, one for commands."""
