"""Convert manifests to model values and back: the only package that knows JSON.

In: bytes or decoded documents. Out: values of ``model``. One file per kind. Readers never raise for
a bad field: they add a sentence to ``faults`` of the value, because one bad object must not stop a
watch.
"""
