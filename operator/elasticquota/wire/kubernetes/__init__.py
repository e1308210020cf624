"""Readers of Kubernetes kinds: pods, nodes, namespaces, workloads, reviews."""
