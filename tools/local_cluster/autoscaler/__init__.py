"""A simulated cluster autoscaler: it makes kwok nodes for pods that the scheduler refuses.

It does what Cluster Autoscaler's documentation says, with its taints, events and conditions, for
node groups that a ConfigMap describes. Cluster Autoscaler itself is not on the Go module proxy
(docs/decisions/0021-elastic-trees.md).
"""
