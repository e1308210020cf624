"""What the controller's own code decides on all objects, of a cluster or of files.

``moment`` decides on the ``Inputs`` that ``live`` or ``files`` read; ``pod`` and ``quota`` select
what concerns one object.
"""
