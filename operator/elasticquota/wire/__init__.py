"""Manifests to model and back: the only package that knows JSON.

In: bytes or decoded documents. Out: values of ``model``. One file per kind. Reading is total: what
cannot be understood becomes a sentence in ``faults`` of the value, never an exception, because one
odd object must not stop a watch.
"""
