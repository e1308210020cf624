"""``doctor``: reports what is wrong with an installation and its quotas, worst first.

Reading (``live``, ``files``) makes an ``inventory``. ``diagnosis`` runs rules on it, a module for
each subject, without I/O or clock; their results are the findings of the ``report``, which
``command`` prints.
"""
