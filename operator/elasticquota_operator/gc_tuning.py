"""How often Python's garbage collector looks for cycles in a process that keeps very much for good.

An object that was read lives as long as in the API server, and nearly all else is freed by its
reference count. By default the collector walks over everything that is kept again and again while
the first lists come in: half a second of a start with 50,000 pods. So it does not run before the
first decision, unless very much has come, never again on what was there then, and seldom on the
rest.
"""

import gc
from typing import Final


STARTING: Final = 2_000_000
"""So many more objects than were freed: then it looks while the process starts. A start with 50,000
pods makes half of them, and with every 100,000 a look took a quarter of a second of it."""

NEW_OBJECTS: Final = 100_000
"""So many: then the young ones are looked at from then on, and the oldest after 400 looks."""


def rest() -> None:
    """Hardly look, until what is being read has ``settled``."""
    gc.set_threshold(STARTING, 20, 20)


def settle() -> None:
    """What is there now is here to stay; it is freed by its reference count like everything."""
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, 20, 20)
