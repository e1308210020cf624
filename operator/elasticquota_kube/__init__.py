"""How this product talks to a Kubernetes API server.

``client`` sends requests, ``informer`` follows lists and watches; beside them are leader election,
events and evictions. Nothing here knows a rule of quotas.
"""
