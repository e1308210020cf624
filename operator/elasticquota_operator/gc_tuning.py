"""Settings of Python's garbage collector for a process that keeps very many objects.

A cached object lives as long as in the API server, and nearly all others are freed by their
reference count. By default the collector visits all cached objects again and again while the first
lists are read: half a second of a start with 50,000 pods. So it does not run before the first
decision, unless very many objects arrive, never again on the objects of then, and seldom on the
others.
"""

import gc
from typing import Final


STARTING: Final = 2_000_000
"""So many more objects than were freed: then it looks while the process starts. A start with 50,000
pods makes half of them, and with every 100,000 a look took a quarter of a second of it."""

NEW_OBJECTS: Final = 100_000
"""So many: then the young ones are looked at from then on, and the oldest after 400 looks."""


def rest() -> None:
    """Run the collector hardly ever until ``settle`` is called."""
    gc.set_threshold(STARTING, 20, 20)


def settle() -> None:
    """Exclude all present objects from collection; their reference counts still free them."""
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, 20, 20)
