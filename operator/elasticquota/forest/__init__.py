"""Quotas as trees: who stands where, which of them count, and which quota a pod belongs to."""
