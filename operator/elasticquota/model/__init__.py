"""Frozen values: what was read from the cluster and what was decided."""
