"""The ledger: what every quota requests, holds and waits for, kept up to date by events.

In: events of quotas, profiles, pods, nodes and namespaces, and what the controller asked the API
server for. Out: ``ClusterSnapshot``, the figures of one moment, read only. The ledger is the only
mutable state of the core; one thread owns it.
"""
