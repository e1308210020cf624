"""Derived objects: what the controller keeps because of other objects, whatever the pods do.

In: the ledger and its snapshot. Out: root quotas of profiles, statuses of profiles, the objects of
the built-in quotas, and labels of namespaces, as the controller's writers compare them with the API
server.
"""
