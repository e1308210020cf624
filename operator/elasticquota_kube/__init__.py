"""Communication of this product with a Kubernetes API server.

``client`` sends requests, ``informer`` lists and watches; beside them are leader election, events
and evictions. No rule of quotas is known here.
"""
