"""A cluster in virtual time: it drives the real ledger and the real ``decide``, and nothing else.

``agenda`` is the time, ``cluster`` the objects as an API server holds them, ``scheduler``,
``workloads`` and ``budgets`` what a cluster does with them, ``controller`` the shell of the product
with its delays, lost answers and restarts, ``scene`` all of them together.
"""
