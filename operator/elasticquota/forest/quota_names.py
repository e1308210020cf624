"""EQ1102: a quota's name is unique over all namespaces. EQ1110: three names are reserved.

Children and pods name a quota without its namespace, so a name must not occur twice. Objects of the
root and the system quota ask for nothing: these quotas are built in. The default quota is a leaf
directly below the default root. Only administrators write in the release's namespace, and only
there an object of these names counts.
"""

from collections.abc import Iterator, Mapping

from elasticquota import names
from elasticquota.forest import violation
from elasticquota.forest.violation import Violation
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota


_BUILT_IN = (names.ROOT_QUOTA, names.SYSTEM_QUOTA)


def taken(quota: Quota, holders: Mapping[str, Quota]) -> Violation | None:
    """Return that another object of ``holders``, by name, has the name of ``quota``, or None."""
    holder = holders.get(quota.name)
    if holder is None or holder.key in (quota.key, Key("", quota.name)):
        return None
    return Violation(
        "EQ1102",
        "metadata.name",
        f"'{quota.name}' is taken by the quota in namespace '{holder.key.namespace}'; names must "
        "be unique over all namespaces, because children and pods name a quota without its "
        "namespace",
        "Choose another name",
    )


def away(quota: Quota, home: str | None) -> Violation | None:
    """Return that an object of a reserved name is outside of the release's namespace, or None."""
    if quota.name not in names.RESERVED_QUOTAS or home in (None, quota.key.namespace):
        return None
    return _reserved(quota, f"it may be written only in namespace '{home}'", "Choose another name")


def asking(quota: Quota) -> Violation | None:
    """Return that an object of the root or the system quota asks for something, or None."""
    asks = quota.min or quota.is_root or quota.tree_id
    if quota.name in _BUILT_IN and (asks or quota.parent not in ("", names.ROOT_QUOTA)):
        return built_in(quota, "Leave out min, tree id and parent")
    return None


def built_in(quota: Quota, remedy: str) -> Violation:
    """Say that this quota, of the root or the system, is not written by users."""
    return _reserved(quota, "that quota is built in, and the controller keeps it", remedy)


def misplaced(quota: Quota) -> Iterator[Violation]:
    """Yield what moves the default quota, which ``quota`` is, away from its place."""
    said = {
        violation.setting(quota, "parent"): quota.parent != names.ROOT_QUOTA,
        violation.setting(quota, "isParent"): quota.is_parent,
        violation.label(names.IS_ROOT): quota.is_root,
        violation.label(names.TREE_ID): quota.tree_id != names.DEFAULT_TREE,
    }
    message = f"'{quota.name}' is a leaf directly below '{names.ROOT_QUOTA}' in the default tree"
    for path, is_said in said.items():
        if is_said:
            yield Violation("EQ1110", path, message, "Leave it out", kind="forbidden")


def _reserved(quota: Quota, message: str, remedy: str) -> Violation:
    text = f"'{quota.name}' is reserved: {message}"
    return Violation("EQ1110", "metadata.name", text, remedy, kind="forbidden")
