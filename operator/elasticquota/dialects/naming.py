"""A quota's name is its path joined with "-", and with a hash where that is no unique DNS label.

The name must be unique in the cluster (EQ1102) and fit in a label (63 characters). All who clash
get a hash of their path, so that nobody's name depends on who comes first. Reserved names are
taken. Like everything here, a name depends on the set of paths, not on their order.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from elasticquota import names
from elasticquota.dialects.translation import Path


LONGEST: Final = 63
_HASH: Final = 10
_UNFIT: Final = re.compile(r"[^a-z0-9]+")


def hashed(plain: Mapping[Path, str]) -> dict[Path, str]:
    """The names of those who cannot be called by their label, of all ``plain`` labels."""
    counts = Counter(plain.values())
    clashing = {path for path, name in plain.items() if counts[name] > 1 or not _fits(name)}
    found: dict[Path, str] = {}
    while clashing:
        found |= {path: _hashed(path, plain[path]) for path in clashing}
        # A name with a hash may be what somebody else is called without one.
        taken = set(found.values())
        clashing = {path for path, name in plain.items() if name in taken} - found.keys()
    return found


def label(text: str) -> str:
    """The text as a label, if any of it can be in one."""
    return _UNFIT.sub("-", text.lower()).strip("-")


def _fits(name: str) -> bool:
    return 0 < len(name) <= LONGEST and name not in names.RESERVED_QUOTAS


def _hashed(path: Path, name: str) -> str:
    digest = hashlib.sha256("\0".join(path).encode()).hexdigest()[:_HASH]
    kept = name[: LONGEST - _HASH - 1].strip("-")
    return f"{kept}-{digest}" if kept else f"quota-{digest}"
