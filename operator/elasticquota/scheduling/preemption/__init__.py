"""Preemption and reclaim: which pods are evicted, for which waiting pod, and why.

In: the snapshot after admission. Out: evictions. ``reclaim`` evicts pods that borrow; ``preempt``
evicts less important pods of the same quota.
"""
