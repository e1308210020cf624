"""Readers of ``resource.k8s.io/v1``: claims, templates, classes and slices."""
