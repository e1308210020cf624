"""No class name twice in the product, so that a name says which class is meant.

Part of ``python -m prose``. It reads the classes at the top of the modules of the product.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import product_modules


# A model of the API and the value of the core that is read from it or written to it. The model has
# the name that its field or kind has in the API.
_OF_THE_API: Final = dict.fromkeys(
    (
        "Condition",
        "Limit",
        "Pool",
        "ProfileStatus",
        "QuotaLimits",
        "QuotaStatus",
        "TreeSettings",
        "Turnover",
        "WaitEstimate",
    ),
    2,
)

# The kind Queue of the API, and the queue of pending workloads, as kube-scheduler names it.
_KINDS: Final = {"Queue": 2}

# A part of the report of simulate, whose published schema has its name, and the value of the core.
_OF_REPORTS: Final = dict.fromkeys(("Profile", "ProfileChange", "Quota", "Waiting"), 2)

EXCEPTIONS: Final[Mapping[str, int]] = {**_OF_THE_API, **_KINDS, **_OF_REPORTS}
"""How many classes may have the name."""


class Place(NamedTuple):
    """Where a class is: a path from the root of the repository, and a line from 1."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


def faults(root: Path, exceptions: Mapping[str, int] = EXCEPTIONS) -> Iterator[str]:
    """A sentence for each name with too many classes, and for each exception without need."""
    for name, places in sorted(_classes(root).items()):
        if len(places) > exceptions.get(name, 1):
            where = ", ".join(map(str, places))
            yield f"{places[0]}: {len(places)} classes are called {name!r}, rename one: {where}"
        elif name in exceptions and len(places) == 1:
            yield f"{places[0]}: {name!r} is one class: remove it from the list in {__name__}.py"


def _classes(root: Path) -> Mapping[str, list[Place]]:
    """The classes at the top of modules by their names, in the order of their paths."""
    found: dict[str, list[Place]] = defaultdict(list)
    for path, tree in product_modules.modules(root):
        for statement in tree.body:
            if isinstance(statement, ast.ClassDef):
                found[statement.name].append(Place(path, statement.lineno))
    return found
