"""Runs a real control plane on this machine's loopback, for tests, demo and benchmarks.

etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kwok run as plain processes; a
small process node runs the operator's own Deployments. Linux only: the kernel's parent-death signal
makes sure that no process is left over.
"""
