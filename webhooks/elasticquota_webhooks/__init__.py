"""The admission webhook: what the API server asks before it stores a quota or a pod.

``server`` takes requests, ``handlers`` decide by ``elasticquota.validation`` and
``elasticquota.defaulting`` on what ``cache`` knows, ``certificates`` keeps the serving certificate.
"""
