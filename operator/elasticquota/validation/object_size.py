"""EQ1115: a quota or profile leaves room for what the controller writes beside it.

etcd takes 1.5 MiB of a request. The API bounds annotations to 256 KiB, and neither the number of
labels nor the texts of owner references; an object just below the limit is stored, and after that
no status of it. An object that is too large already may get smaller.
"""

from collections.abc import Iterator
from typing import Final

from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation
from elasticquota.validation.change import Change
from elasticquota.validation.profile_change import ProfileChange


LARGEST: Final = 1024 * 1024
"""Bytes of JSON; a status and the fields that the API server adds take some KiB of the rest."""
_KIB: Final = 1024


def check(change: Change | ProfileChange, forest: Forest) -> Iterator[Violation]:
    """Judge the size after the edit; ``forest`` is not used."""
    del forest
    if change.size > max(LARGEST, change.old_size):
        yield Violation(
            "EQ1115",
            "",
            f"has {-(-change.size // _KIB)} KiB of JSON and may have {LARGEST // _KIB}, so that "
            "its status fits beside it into the store (1.5 MiB)",
            "Shorten its texts, such as owner references, or take labels off",
        )
