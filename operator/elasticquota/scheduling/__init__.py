"""One decision cycle: which pods to admit, which to evict, and what to publish.

In: the accounts of one moment (``ledger``) and the administrator's ``policy``. Out: a ``Decisions``
value (``model.decision``). ``decide`` is the entry for controller, CLI and simulator; ``cycle``
runs one tree through ``queue``, ``admission`` and ``preemption`` on a ``snapshot``, and ``status``
says the results in words and figures.
"""
