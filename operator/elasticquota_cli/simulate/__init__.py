"""``simulate``: runs the decision code of the controller on manifests in files, without a cluster.

Reading (``documents``, ``manifests``, ``workloads``) turns files into values. The ``world`` stores
them, ``webhook`` does what the webhook does, and ``settle`` runs cycles until nothing changes.
``outcome`` and ``difference`` are the results; ``show_*`` and ``report`` print them.
"""
