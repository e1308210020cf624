"""Events where users look: on the objects of which pods are parts, and on quotas.

In: waits and evictions of decisions, and which pods an object owns. Out: the notes of events, and
which of them are written again while pods wait.
"""
