"""``pending``, ``top`` and ``history``: lines about many quotas, as the controller publishes them.

``overview`` reads quotas and waiting pods of a cluster or of files, as far as the user may; each
verb has a module that makes its rows, and ``output`` prints rows in the forms of kubectl.
"""
