"""A quota's name is its path joined with "-", and with a hash where that is no unique DNS label.

The name must be unique in the cluster (EQ1102) and fit in a label (63 characters). All who clash
get a hash of their path, so that nobody's name depends on who comes first. Reserved names are
taken. Like everything here, a name depends on the set of paths, not on their order.

A quota that is made for pods always has a hash, so nobody's pod decides what others are called.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from elasticquota import names
from elasticquota.integrations.translation.translation import Path


LONGEST: Final = 63
_HASH: Final = 10
_UNFIT: Final = re.compile(r"[^a-z0-9]+")
_WITH_HASH: Final = re.compile(rf"-[0-9a-f]{{{_HASH}}}\Z", re.ASCII)


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


def own(path: Path) -> str:
    """The name with a hash that no other path has, whoever else there is."""
    return _hashed(path, label("-".join(path)))


def is_hashed(name: str) -> bool:
    """Whether the name may have a hash, as everybody's may by chance."""
    return _WITH_HASH.search(name) is not None


def label(text: str) -> str:
    """The text as a label, if any of it can be in one."""
    return _UNFIT.sub("-", text.lower()).strip("-")


def _fits(name: str) -> bool:
    return 0 < len(name) <= LONGEST and name not in names.RESERVED_QUOTAS


def _hashed(path: Path, name: str) -> str:
    digest = hashlib.sha256("\0".join(path).encode()).hexdigest()[:_HASH]
    if name.endswith(f"-{digest}") and len(name) <= LONGEST:
        return name
    kept = name[: LONGEST - _HASH - 1].strip("-")
    return f"{kept}-{digest}" if kept else f"quota-{digest}"
