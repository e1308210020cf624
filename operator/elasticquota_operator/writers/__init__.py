"""One writer per kind of change: ungating, eviction, status, annotations, labels, root quotas."""
