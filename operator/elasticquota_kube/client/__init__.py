"""Requests to the API server: transport, credentials, verbs, errors, back-off."""
