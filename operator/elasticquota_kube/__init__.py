"""The hands: how this product talks to a Kubernetes API server, and how it is configured."""
