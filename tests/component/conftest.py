"""A small API server, and a connection to it."""

from api_double.fixtures import api, double


__all__ = ["api", "double"]
