"""``doctor``: what is wrong with an installation and its quotas, worst first.

Reading (``live``, ``files``) makes a ``inventory``, at which the rules of ``rounds`` look one after
the other, each in a file of its own and none with I/O or a clock; what they find is a ``finding``.
``report`` is what is told, and ``command`` prints it.
"""
