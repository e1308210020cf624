"""``explain``: why one pod waits or runs, and how one quota came to its runtime.

Reading (``live``, ``files``) makes a ``inputs``, which ``moment`` decides over with the
controller's own code. ``pod`` and ``quota`` take from it what concerns one object (``belonging``,
``path``, ``remedy``, ``prospect``, ``siblings``); ``published`` is for people who may not read
everything; ``report`` is what is told, and ``show_*`` print it.
"""
