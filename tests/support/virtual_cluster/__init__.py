"""A cluster in virtual time: it drives the real ledger and the real ``decide``, and nothing else.

``timeline`` is the time, ``cluster`` the objects of the API server, ``scheduler``, ``workloads``
and ``budgets`` what a cluster does with them, ``controller`` the shell of the product with its
delays, lost answers and restarts, ``scene`` all of them together.
"""
