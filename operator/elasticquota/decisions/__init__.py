"""The decisions of one moment: those of each tree's cycle, with what is published of them.

In: the ledger, the administrator's policy and the time. Out: a ``Decisions`` value
(``model.decision``). ``decide`` is the entry for controller, CLI and simulator. It runs the cycle
of each tree (``scheduling``), and has its results said in words and figures (``status``).
"""
