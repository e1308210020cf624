"""Forecast: how long the waiting workloads of a quota still wait.

In: the snapshot of each cycle, and what moved since the last one. Out: ``WaitEstimate``,
``Turnover`` and ``ReclaimHistory`` for the status of each quota.
"""
