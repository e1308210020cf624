"""Manifests <-> model: the only room that knows what JSON looks like.

One file per kind. Reading is total: what cannot be understood becomes a sentence in ``faults`` of
the value, never an exception, because one odd object must not stop a watch.
"""
