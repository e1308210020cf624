"""ProvisioningRequests: ask a cluster autoscaler for nodes before a group or a job starts.

In: an admitted group or job, its ProvisioningRequest as stored, now. Out: the objects that ask, and
whether the workload starts, waits, or goes back into its queue. The source of the rules is the
documentation of Cluster Autoscaler (kind ``autoscaling.x-k8s.io/v1`` ProvisioningRequest).
"""
