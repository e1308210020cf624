"""Names a quota by its path joined with "-", plus a hash where that is no unique DNS label.

The name must be unique in the cluster (EQ1102) and fit in a label (63 characters). All paths that
clash get a hash, so that no name depends on which path comes first. Reserved names count as taken.
A name depends on the set of paths, not on their order.

A quota that is made for pods always has a hash, so that a pod cannot change the names of others.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Final

from elasticquota import names
from elasticquota.integrations.translation.translation import Path


LONGEST: Final = 63
_HASH: Final = 10
_UNFIT: Final = re.compile(r"[^a-z0-9]+")
_WITH_HASH: Final = re.compile(rf"-[0-9a-f]{{{_HASH}}}\Z", re.ASCII)


def hashed(plain: Mapping[Path, str], unfit: Collection[Path] = ()) -> dict[Path, str]:
    """The names with a hash, for the paths that cannot have their ``plain`` label as name.

    ``unfit``: paths whose label is taken by an object that is no quota.
    """
    counts = Counter(plain.values())
    clashing = {path for path, name in plain.items() if counts[name] > 1 or not _fits(name)}
    clashing.update(unfit)
    found: dict[Path, str] = {}
    while clashing:
        found |= {path: _hashed(path, plain[path]) for path in clashing}
        # A name with a hash may equal the plain name of another path.
        taken = set(found.values())
        clashing = {path for path, name in plain.items() if name in taken} - found.keys()
    return found


def own(path: Path) -> str:
    """The name with a hash; no other path has it, whatever paths there are."""
    return _hashed(path, label("-".join(path)))


def is_hashed(name: str) -> bool:
    """Whether the name ends like one with a hash, which a plain name may do by chance."""
    return _WITH_HASH.search(name) is not None


def label(text: str) -> str:
    """The text as a DNS label; empty if none of its characters can be in one."""
    return _UNFIT.sub("-", text.lower()).strip("-")


def _fits(name: str) -> bool:
    return 0 < len(name) <= LONGEST and name not in names.RESERVED_QUOTAS


def _hashed(path: Path, name: str) -> str:
    digest = hashlib.sha256("\0".join(path).encode()).hexdigest()[:_HASH]
    if name.endswith(f"-{digest}") and len(name) <= LONGEST:
        return name
    kept = name[: LONGEST - _HASH - 1].strip("-")
    return f"{kept}-{digest}" if kept else f"quota-{digest}"
