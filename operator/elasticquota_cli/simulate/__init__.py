"""``simulate``: the decision code of the controller over manifests in files, with no cluster.

Reading (``documents``, ``manifests``, ``workloads``) makes values of files; the ``world`` holds
them, the ``webhook`` does what the webhook does, ``settling`` lets the world come to rest;
``outcome`` and ``difference`` are what comes of it, ``show_*`` and ``report`` print it.
"""
