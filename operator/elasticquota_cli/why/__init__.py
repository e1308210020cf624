"""``why``: for the owner of a pod or a workload, why it waits and what to do, on one screen.

``namespace_pods`` are the pods of a namespace with what is known of them: from a cluster what the
controller published, so that a tenant's rights are enough; from files what is computed.
``answer`` sums up the pods of one workload, ``advice`` says what its owner can do, ``show`` prints
it.
"""
