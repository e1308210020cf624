"""EP1203: a profile may be deleted only if its tree has no quotas.

The profile says which nodes are the tree's: without it nothing new starts in the tree. Quotas in a
namespace that is being deleted with the profile do not count: otherwise its deletion would wait for
itself. Nor do quotas that follow another system's: the controller takes them away without the
profile, and makes them again with it.
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation, listed
from elasticquota.model.key import Key
from elasticquota.model.profile import Profile
from elasticquota.validation import relatives


def check(profile: Profile, forest: Forest, *, namespace_leaves: bool) -> Iterator[Violation]:
    """Yield the quotas directly below the root of the profile, whether that is made yet or not."""
    home, name = profile.key.namespace, profile.quota_name
    root = forest.quotas.get(name)
    if root is not None and (root.key != Key(home, name) or root.profile_key != profile.key):
        return
    left = [
        child.name
        for child in relatives.children(name, forest)
        if not (namespace_leaves and child.key.namespace == home)
        and child.name not in names.RESERVED_QUOTAS
        and not child.kept_for
    ]
    if left:
        message = f"must not be deleted while there are quotas in its tree: {listed(left)}"
        remedy = (
            "Delete them first, or give them a parent in another tree; for a file that has them "
            "all, repeat the command"
        )
        yield Violation("EP1203", "", message, remedy, kind="conflict")
