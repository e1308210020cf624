"""Preemption and reclaim: which pods are evicted, for which pod, and by which right.

In: the snapshot after admission. Out: evictions. ``reclaim`` takes back what was borrowed,
``preempt`` replaces less important pods of the same quota; ``breaker`` and ``cooldown`` limit both.
"""
