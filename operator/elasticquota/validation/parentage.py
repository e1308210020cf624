"""EQ1101: the parent is marked as parent and is not below the quota; at most 32 levels.

EQ1101-missing: the parent exists. The rule is that of stored quotas (``forest.position``); an
unchanged parent is not judged again.
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest import position
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation
from elasticquota.validation import relatives
from elasticquota.validation.change import Change


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Judge the new parent."""
    quota = change.new
    if quota is not None and change.moves and quota.parent != names.ROOT_QUOTA:
        height = relatives.height(quota.name, forest)
        if found := position.fault(quota, forest.quotas, height):
            yield found
