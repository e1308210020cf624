"""The size of each pod group: what its pods state, an object, or another pod of its application.

* The number that the pods state themselves counts before that of an object.
* Pods whose size was stated by another pod that is gone start one by one, and leave together: a
  driver that is evicted is made again some seconds later, and until then its executors are a gang
  still. A new process does not know of it.
* An object can say that the pods start one by one.
* If neither states a number, the pods of an object that is followed wait until it exists. So they
  do while its kind is served only in versions that are not read. A kind that is not followed,
  because its definition is not installed, holds no pod.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from elasticquota.ledger.inputs.objects import LedgerObjects
from elasticquota.model import group as limits
from elasticquota.model.group import Group, GroupObject
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod


class GroupTerms(NamedTuple):
    """On which terms the pods of a group start."""

    size: int
    """How many of them start together; 0: no usable number is known."""
    together: tuple[Key, ...] = ()
    """The groups that start at the same time."""
    fault: str = ""
    """Why none of them can start."""
    whole: bool = False
    """All that run leave together, also those beyond the size."""
    before: int = 0
    """Up to how many leave together, if more than the size: it was stated before."""

    @property
    def alone(self) -> bool:
        """The pods start and leave one by one."""
        return self.size == 1 and not self.together and not self.whole and not self.before

    @property
    def leaving(self) -> int:
        """Up to how many of the pods that run leave together."""
        return limits.MOST if self.whole else max(self.size, self.before)


class GroupSizes:
    """What the counted pods say about sizes; mutable."""

    def __init__(self, objects: LedgerObjects) -> None:
        self._objects = objects
        self._stated: dict[Key, dict[Key, int]] = {}
        """Namespace and source -> the sizes that pods state for it, by pod."""
        self._of_source: dict[Key, set[Key]] = {}
        """Namespace and source -> the pods whose group has this source."""
        self._last: dict[Key, int] = {}
        """Namespace and source -> the size that pods stated which are gone; 0: different ones."""

    def join(self, pod: Pod, group: Group) -> None:
        """Count a pod of ``group``."""
        namespace = pod.key.namespace
        for source, size in group.sizes:
            self._stated.setdefault(Key(namespace, source), {})[pod.key] = size
        if group.source:
            self._of_source.setdefault(Key(namespace, group.source), set()).add(pod.key)

    def leave(self, pod: Pod, group: Group) -> None:
        """Stop counting a pod of ``group``."""
        namespace = pod.key.namespace
        for name, size in group.sizes:
            source = Key(namespace, name)
            self._last[source] = size if self._last.get(source, size) == size else 0
            del self._stated[source][pod.key]
            if not self._stated[source]:
                del self._stated[source]
        if group.source:
            source = Key(namespace, group.source)
            self._of_source[source].discard(pod.key)
            if not self._of_source[source]:
                del self._of_source[source]

    def forget_unused(self) -> None:
        """Forget the last sizes that a pod states again, or of which no pod is left."""
        for source in [*self._last]:
            if source in self._stated or source not in self._of_source:
                del self._last[source]

    def sized_by(self, pod: Pod, group: Group) -> Iterable[Key]:
        """Return the pods for whose groups ``pod`` states the size."""
        sources = (Key(pod.key.namespace, name) for name, _ in group.sizes)
        return set[Key]().union(*(self._of_source.get(source, ()) for source in sources))

    def of_sources(self, sources: Iterable[Key], kinds: AbstractSet[str]) -> set[Key]:
        """Return the pods whose groups have one of these sources, or a source of these kinds."""
        found = set[Key]().union(*(self._of_source.get(source, ()) for source in sources))
        if kinds:
            found.update(
                *(pods for source, pods in self._of_source.items() if _kind(source) in kinds)
            )
        return found

    def terms(self, namespace: str, group: Group) -> GroupTerms | None:
        """Return on which terms ``group`` starts; None: not known, so its pods start alone."""
        if not group.source:
            return GroupTerms(0 if group.fault else group.size, group.together, group.fault)
        source = Key(namespace, group.source)
        group_object = self._objects.group_objects.get(source)
        together = group.together or (() if group_object is None else group_object.together)
        size, fault = group.size, group.fault
        if not size and not fault:
            known = self._by_source(source, group_object, group.name)
            if known is None:
                before = self._last.get(source, 0)
                return GroupTerms(1, before=before) if before > 1 else None
            size, fault = known
        if group_object is not None and group_object.one_by_one:
            size = 1
        whole = group_object is not None and group_object.whole
        return GroupTerms(0 if fault else size, together, fault, whole)

    def _by_source(
        self, source: Key, group_object: GroupObject | None, group: str
    ) -> tuple[int, str] | None:
        """The size of a group whose pods do not state it, and what is wrong; None: not known."""
        if group_object is not None:
            return group_object.size, group_object.fault
        stated = sorted(set(self._stated.get(source, {}).values()))
        if len(stated) > 1:
            return 0, f"pods state different sizes of group {group}: {stated[0]} and {stated[1]}"
        if stated:
            return stated[0], ""
        unread = self._objects.unread_by(_kind(source))
        if unread is not None:
            return 0, f"{unread}: so how many pods of group {group} start together is not known"
        if _kind(source) not in self._objects.group_kinds:
            return None
        kind, _, name = source.name.partition("/")
        return 0, (
            f"the {kind} object {source.namespace}/{name} does not exist, which says how many pods "
            f"of group {group} start together"
        )


def _kind(source: Key) -> str:
    return source.name.partition("/")[0]
