"""Kueue: Cohort, ClusterQueue, LocalQueue and ResourceFlavor (``kueue.x-k8s.io``)."""
