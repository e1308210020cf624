"""The cycle of one tree: which pods to admit, and which to evict.

In: the accounts of one moment (``ledger``) and the administrator's ``policy``. Out: a
``TreeDecision`` (``cycle``), with reasons and figures and without a sentence: ``status`` says it in
words. ``cycle`` runs the tree through ``queue``, ``admission`` and ``preemption`` on a
``snapshot``.
"""
