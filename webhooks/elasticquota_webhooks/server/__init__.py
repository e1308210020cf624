"""HTTPS listener, request limits, probes and metrics."""
