"""A kubelet without containers: the pods of one node run as local processes.

It exists so that the operator runs from its own chart, as Deployments, on a machine without a
container runtime. What a container would isolate is only imitated: mount paths are rewritten in
arguments and environment, each pod has a loopback address of its own. What Kubernetes promises
about a pod's life (restarts, probes, grace, status, its own ServiceAccount token) is kept.
"""
