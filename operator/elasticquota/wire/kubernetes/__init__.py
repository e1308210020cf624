"""Kinds of Kubernetes: pods, nodes, namespaces, workloads, reviews."""
