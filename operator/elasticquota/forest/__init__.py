"""Quotas as trees: structure, acceptance, and the quota that each pod belongs to.

In: quotas, profiles and namespaces (``model``). Out: a ``Forest`` with one tree per root quota and
a verdict per quota. ``incremental`` updates a forest after one edit; ``acceptance`` builds it
whole.
"""
