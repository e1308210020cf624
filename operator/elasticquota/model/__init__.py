"""Frozen values of the domain: what was read from the cluster and what was decided."""
