"""The admission webhook: the API server calls it before it stores a quota or a pod.

``server`` receives requests. ``handlers`` decide with ``elasticquota.validation`` and
``elasticquota.defaulting`` on the objects in ``cache``. ``certificates`` keeps the serving
certificate.
"""
