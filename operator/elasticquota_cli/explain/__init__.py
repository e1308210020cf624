"""``explain``: shows why one pod waits or runs, and how the runtime of one quota is computed.

Reading (``live``, ``files``) makes ``inputs``; ``moment`` decides on them with the controller's own
code. ``pod`` and ``quota`` select what concerns one object (``membership``, ``path``, ``remedy``,
``reclaimable``, ``siblings``). ``published`` is for users who may not read everything, and
decides nothing; ``parts`` is what both make their explanations of. ``report`` is the output, and
``show`` prints it.
"""
