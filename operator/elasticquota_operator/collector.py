"""How often Python looks for garbage that holds itself, where very much is kept for good.

What is read lives as long as its object in the API server, and nearly all else is freed by its
reference count. By default the collector walks over everything that is kept again and again while
the first lists come in: half a second of a start with 50,000 pods. So it looks less often, and what
the first decision was made of it never looks at again.
"""

import gc
from typing import Final


NEW_OBJECTS: Final = 100_000
"""So many more objects than were freed: then the young ones are looked at."""


def rest() -> None:
    """Look seldom, from now on; the oldest after 400 looks at the young."""
    gc.set_threshold(NEW_OBJECTS, 20, 20)


def settle() -> None:
    """What is there now is here to stay; it is freed by its reference count like everything."""
    gc.freeze()
