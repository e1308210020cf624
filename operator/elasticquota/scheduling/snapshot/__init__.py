"""The state of one tree during one cycle: usage, limits, guarantees and node capacity.

In: the accounts of one moment. Out: answers to "does this pod fit?" for quotas, users and nodes;
admission and preemption change the snapshot as they decide, never the ledger.
"""
