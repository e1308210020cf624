"""EQ1004 across quotas: only one quota binds a namespace.

With two bindings the older quota would get the pods, which is easy to miss. The rule judges only
namespaces that the change adds, so an old conflict never blocks other edits.
"""

from collections.abc import Iterator

from elasticquota import names
from elasticquota.forest.structure import Forest
from elasticquota.validation.change import Change
from elasticquota.validation.violation import Violation, annotation


def check(change: Change, forest: Forest) -> Iterator[Violation]:
    """Yield the new namespaces that another quota binds already."""
    if change.new is None:
        return
    before = change.old.namespaces if change.old is not None else ()
    for namespace in sorted(set(change.new.namespaces) - set(before)):
        binders = forest.index.binders.get(namespace, ())
        others = [name for name in binders if name != change.new.name]
        if others:
            yield Violation(
                "EQ1004",
                annotation(names.NAMESPACES),
                f"namespace '{namespace}' is bound by quota '{others[-1]}'",
                f"Leave it out, or remove it from '{others[-1]}' first",
                kind="conflict",
            )
