"""The door: what the API server asks before it stores a quota or a pod.

Read, decide, write: the decisions are made in ``elasticquota.rules`` and ``elasticquota.defaults``.
"""
