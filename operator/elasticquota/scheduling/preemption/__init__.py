"""Preemption and reclaim: which pods are evicted, for which pod, and by which right.

In: the snapshot after admission. Out: evictions. ``reclaim`` evicts pods that borrow, ``preempt``
replaces less important pods of the same quota; ``breaker`` and ``cooldown`` limit both.
"""
