"""Admission: reviews, the patches that answer them, and the policies of Kubernetes."""
