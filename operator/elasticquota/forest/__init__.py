"""Quotas as trees: structure, acceptance, and the quota that each pod belongs to.

In: quotas (``model``). Out: a ``Forest`` with one tree per root quota and a verdict per quota.
``acceptance`` builds a forest as a whole; ``incremental`` follows edits.
"""
