"""A kubelet without containers: runs the pods of one node as local processes.

With it the operator runs from its own chart, as Deployments, on a machine without a container
runtime. Isolation is only imitated: mount paths are rewritten in arguments and environment, and
each pod has a loopback address of its own. What Kubernetes promises about a pod's life (restarts,
probes, grace, status, its own ServiceAccount token) holds.
"""
