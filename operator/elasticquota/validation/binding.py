"""A namespace is bound by one quota only.

EQ1004, across quotas: a second binding would leave it to the quotas' ages whose pods they are.
Judged for namespaces that the change adds, so an old clash never blocks other edits.
"""

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.validation.change import Change
from elasticquota.validation.violation import Violation, annotation


def check(change: Change, forest: Forest) -> tuple[Violation, ...]:
    """Namespaces that another quota binds already."""
    if change.new is None:
        return ()
    before = change.old.namespaces if change.old is not None else ()
    holders = {
        namespace: others[-1]
        for namespace in set(change.new.namespaces) - set(before)
        if (others := _others(namespace, change.new.name, forest))
    }
    return tuple(
        Violation(
            "EQ1004",
            annotation(names.NAMESPACES),
            f"namespace '{namespace}' is bound by quota '{holder}'",
            f"Leave it out, or take it from '{holder}' first",
            kind="conflict",
        )
        for namespace, holder in sorted(holders.items())
    )


def _others(namespace: str, quota: str, forest: Forest) -> list[str]:
    """Who binds the namespace beside ``quota``."""
    return [name for name in forest.index.binders.get(namespace, ()) if name != quota]
