"""EP1202: a profile has a root quota, a tree and nodes of its own.

The new one is refused (``forest.profile_conflicts``). EP1202-overlap is a warning for
nodes that another profile selects too. They belong to the older profile (``sharing.capacity``). The
list of nodes is true for the moment of the read only.
"""

from collections.abc import Iterator
from itertools import chain

from elasticquota.forest import profile_conflicts
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation, listed
from elasticquota.model.profile import Profile
from elasticquota.validation.profile_change import ProfileChange


def check(change: ProfileChange, forest: Forest) -> Iterator[Violation]:
    """Yield conflicts of name or tree id; a stored profile is not judged again."""
    if change.old is not None:
        return
    rivals = (profile_conflicts.shared(change.new, other) for other in change.others)
    taken = profile_conflicts.taken(change.new, forest)
    found: dict[str, Violation] = {}
    for each in (*chain.from_iterable(rivals), *filter(None, [taken])):
        found.setdefault(each.field, each)
    yield from found.values()


def check_nodes(change: ProfileChange, forest: Forest) -> Iterator[Violation]:
    """Yield the nodes that another profile selects too; ``forest`` is not used."""
    del forest
    for other in sorted(change.others, key=lambda each: each.key):
        if nodes := change.overlaps.get(other.key):
            yield Violation(
                "EP1202-overlap",
                "spec.nodeSelector",
                f"profile '{other.key}' selects some of the same nodes, which count for "
                f"{_owner(other, change)} alone: {listed(nodes)}",
                "Select by a label that only nodes of one pool have",
            )


def _owner(other: Profile, change: ProfileChange) -> str:
    """Which profile is older, in words; a profile that is being created is not."""
    old = change.old
    if old is not None and (old.created, old.uid) < (other.created, other.uid):
        return "this one"
    return "that one"
