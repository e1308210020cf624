"""A pod group is admitted together: when all its pods exist, are in one quota and fit every max.

Until then its pods are infeasible: they do not count as request, because demand that cannot run
would take from pods that can. Then the first ``size`` of its waiting pods are one request. Once a
pod of the group is admitted, the group has started, and each later pod is admitted alone. So a
re-created pod does not wait for pods that have ended meanwhile and are not known any more.

Groups that list each other start together, in any namespaces but in one quota: then the first pods
of each of them are one request. All must list the same. So no group is held, admitted or evicted
because of one that it does not list.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from elasticquota.forest import wording
from elasticquota.forest.membership import NO_QUOTA, Membership
from elasticquota.ledger.inputs.objects import LedgerObjects
from elasticquota.ledger.pods import usage
from elasticquota.ledger.pods.group_sizes import GroupSizes, GroupTerms
from elasticquota.ledger.pods.infeasible import FeasibilityCheck, Infeasible
from elasticquota.ledger.pods.usage import CountedAs
from elasticquota.model import workload
from elasticquota.model.group import Group
from elasticquota.model.key import Key
from elasticquota.model.pod import Pod
from elasticquota.model.workload import Counted, Gang


class GroupVerdict(NamedTuple):
    """The result for the waiting pods of one group."""

    infeasible: Infeasible | None = None
    """Why none of them can be admitted as things stand; None: they can."""
    gang: Gang | None = None
    """The pods that are admitted together; None: each is admitted alone."""


class _GroupPart(NamedTuple):
    """The state of one of the groups that start together."""

    group: Key
    waiting: Sequence[Pod]
    """In the order of the queue."""
    started: bool
    size: int
    """How many start together; 0 with ``why``."""
    why: str
    """Why none of its pods can start."""


Variants = Callable[[Gang], Sequence[Gang]]
_ALONE: Final = GroupVerdict()
_NONE: Final[Mapping[Key, Pod]] = {}


class CountedGroups:
    """The groups of all counted pods; mutable. A pod whose group has the size 1 is in none."""

    def __init__(self, objects: LedgerObjects, gangs: Variants) -> None:
        """``gangs`` returns a gang as it counts in each pool to which it may go."""
        self._gangs = gangs
        self._objects = objects
        self._sizes = GroupSizes(objects)
        self._pods: dict[Key, dict[Key, Pod]] = {}
        """Namespace and name of the group -> its pods."""
        self._lists: dict[Key, frozenset[Key]] = {}
        """Group -> all groups that its pods list."""
        self._verdicts: dict[Key, GroupVerdict] = {}

    def note(self, pod: Pod) -> None:
        """Note which sizes ``pod`` states; all pods are noted before the first one joins."""
        if pod.group is not None:
            self._sizes.join(pod, pod.group)

    def forget_unused_sizes(self) -> None:
        """Forget sizes of which no pod is left, after all of an event have been noted."""
        self._sizes.forget_unused()

    def join(self, pod: Pod) -> None:
        """Count ``pod``, after what the ledger expects of it has been noted."""
        if pod.group is None:
            return
        terms = self._sizes.terms(pod.key.namespace, pod.group)
        if terms is None or terms.alone:
            return
        group = _key(pod, pod.group)
        self._pods.setdefault(group, {})[pod.key] = pod
        if terms.together:
            self._lists[group] = self._lists.get(group, frozenset()).union(terms.together)
        self._verdicts.pop(group, None)

    def leave(self, pod: Pod) -> None:
        """Stop counting ``pod``."""
        if pod.group is None:
            return
        self._sizes.leave(pod, pod.group)
        group = _key(pod, pod.group)
        pods = self._pods.get(group)
        if pods is None or pods.pop(pod.key, None) is None:
            return
        self._verdicts.pop(group, None)
        if not pods:
            del self._pods[group]
            self._lists.pop(group, None)

    def reset(self) -> None:
        """Drop the verdicts."""
        self._verdicts.clear()

    def group_members(self, pods: Iterable[Pod]) -> set[Key]:
        """Return the pods that may count differently because of ``pods``.

        They are those of the same groups, of groups that start with these, and of groups whose
        sizes ``pods`` state.
        """
        keys: set[Key] = set()
        groups: set[Key] = set()
        for pod in pods:
            if pod.group is None:
                continue
            group = _key(pod, pod.group)
            if pod.group.sizes:
                keys.update(self._sizes.sized_by(pod, pod.group))
            if group in self._lists or pod.group.together or pod.group.source:
                terms = self._sizes.terms(pod.key.namespace, pod.group)
                groups.update(self._listing_back(group, () if terms is None else terms.together))
            groups.add(group)
        return keys.union(*(self._pods.get(group, ()) for group in groups))

    def of_sources(self, sources: Iterable[Key], kinds: AbstractSet[str]) -> set[Key]:
        """Return the pods whose size depends on these objects, or on objects of these kinds."""
        return self._sizes.of_sources(sources, kinds)

    def verdict(self, pod: Pod, members: Membership, feasibility: FeasibilityCheck) -> GroupVerdict:
        """Return the verdict on the group of ``pod``, which must be waiting."""
        if pod.group is None:
            return _ALONE
        group = _key(pod, pod.group)
        if pod.key not in self._pods.get(group, _NONE):
            return _ALONE
        found = self._verdicts.get(group)
        if found is None:
            found = self._verdicts[group] = self._judged(group, members, feasibility)
        return found

    def running_gang(
        self, group: Key, quota: str, entries: Mapping[Key, tuple[Counted, CountedAs]]
    ) -> Gang | None:
        """Return the gang of ``group`` that runs in ``quota``; None: its pods are evicted alone.

        Its pods are as many admitted pods of the group as leave together, the first in queue order,
        and the same of the groups that started with it. Pods that leave or are late are no part of
        it. ``entries`` are all counted pods, and how each was counted.
        """
        together, _ = self._together(group)
        pods: list[Pod] = []
        surplus: list[Pod] = []
        for each in together:
            there = [
                pod
                for pod in self._pods.get(each, _NONE).values()
                for counted_as in (entries[pod.key][1],)
                if counted_as.may_leave and counted_as.quota == quota
            ]
            there.sort(key=usage.queue_order)
            size = max((terms.leaving for terms in self._terms(there)), default=0)
            pods += there[:size]
            surplus += there[size:]
        if len(pods) < 2:
            return None
        if len(together) > 1:
            pods.sort(key=usage.queue_order)
        return workload.gang(together[0], pods, surplus)

    def _judged(
        self, group: Key, members: Membership, feasibility: FeasibilityCheck
    ) -> GroupVerdict:
        own = self._part(group)
        if own.started or not _may_start(own, members):
            return _ALONE
        if own.size == 1 and group not in self._lists:
            return _ALONE
        together, why = self._together(group)
        if why:
            return _held(own.why or why)
        for each in together:
            if each in self._objects.postponed:
                return GroupVerdict(
                    Infeasible("ProvisioningRefused", self._objects.postponed[each])
                )
        others = (self._part(each) for each in together if each != group)
        parts = sorted([own, *(part for part in others if not part.started)], key=_name)
        verdict = _judged(parts, members, feasibility, self._gangs)
        for part in parts:
            if _may_start(part, members):
                self._verdicts[part.group] = verdict
        return verdict

    def _together(self, group: Key) -> tuple[Sequence[Key], str]:
        """The groups that start with ``group``, sorted, and itself; and why they cannot start."""
        listed = self._listed(group)
        if len(listed) > 1:
            return (group,), f"the pods of group {group.name} must all list the same groups"
        together = sorted(next(iter(listed)))
        for each in together:
            # One text for a group that is not there and one that lists others: what it lists is
            # read only where it lists this group too.
            if each != group and self._listed(each) != listed:
                return (group,), (
                    f"group {group.name} starts with group {each}, "
                    "but no pod of that group is there, or not all of them list the same groups"
                )
        return together, ""

    def _listed(self, group: Key) -> set[frozenset[Key]]:
        """What the pods of a group list, with itself: one set, unless they contradict each other.

        An unknown group lists only itself.
        """
        if group not in self._lists:
            return {frozenset((group,))}
        terms = self._terms(self._pods[group].values())
        return {frozenset((group, *found.together)) for found in terms}

    def _listing_back(self, group: Key, listed: Iterable[Key]) -> Iterator[Key]:
        """Of the groups that ``group`` lists now or did, those that list it."""
        for each in self._lists.get(group, frozenset()).union(listed):
            if group in self._lists.get(each, ()):
                yield each

    def _terms(self, pods: Iterable[Pod]) -> set[GroupTerms]:
        """The terms of pods in groups; pods of one shape share one value."""
        groups = {(pod.key.namespace, id(pod.group)): pod.group for pod in pods if pod.group}
        found = (self._sizes.terms(space, group) for (space, _), group in groups.items())
        return {terms for terms in found if terms is not None}

    def _part(self, group: Key) -> _GroupPart:
        pods = sorted(self._pods[group].values(), key=usage.queue_order)
        waiting = [pod for pod in pods if not pod.deleting and self._objects.is_gated(pod)]
        terms = self._terms(waiting)
        sizes = {found.size for found in terms}
        why = next(iter(sorted(found.fault for found in terms if found.fault)), "")
        if not why and waiting and (0 in sizes or len(sizes) > 1):
            foreign = any(pod.group is not None and pod.group.source for pod in waiting)
            by = "" if foreign else "by elasticquota.dev/pod-group-size "
            why = (
                f"the pods of group {group.name} must all say {by}"
                "how many start together, the same number from 1 to 99999"
            )
        size = 0 if why or not sizes else sizes.pop()
        return _GroupPart(group, waiting, any(self._started(pod) for pod in pods), size, why)

    def _started(self, pod: Pod) -> bool:
        leaving = pod.deleting or pod.uid in self._objects.evicting
        return not leaving and not self._objects.is_gated(pod)


def _judged(
    parts: Sequence[_GroupPart], members: Membership, feasibility: FeasibilityCheck, gangs: Variants
) -> GroupVerdict:
    """The verdict on groups that start together, none of which has started."""
    title = "group" if len(parts) == 1 else "groups"
    title += " " + " and ".join(part.group.name for part in parts)
    for part in parts:
        if part.why:
            return _held(part.why)
    quotas = sorted({members.quota_of(pod) for part in parts for pod in part.waiting})
    if len(quotas) > 1:
        return _held(
            f"the pods of {title} are in quotas {' and '.join(quotas)}, "
            "but only those of one quota start together"
        )
    for part in parts:
        for pod in part.waiting:
            infeasible = feasibility.infeasible(pod, quotas[0])
            if infeasible is not None:
                text = f"{infeasible.message} (pod {pod.key} of group {part.group.name})"
                return GroupVerdict(Infeasible(infeasible.reason, text))
    for part in parts:
        if not part.waiting or len(part.waiting) < part.size:
            most = max(1, part.size)
            there = wording.agreed(len(part.waiting), "are there")
            of = f"{wording.counted(most, 'pod')} of group {part.group.name}"
            return _held(f"{len(part.waiting)} of {of} {there}")
    pods = [pod for part in parts for pod in part.waiting[: part.size]]
    if len(parts) > 1:
        pods.sort(key=usage.queue_order)
    gang = workload.gang(parts[0].group, pods)
    obstacles = [feasibility.infeasible_gang(each, quotas[0]) for each in gangs(gang)]
    return GroupVerdict(
        obstacles[0] if None not in obstacles else None, gang if len(pods) > 1 else None
    )


def _may_start(part: _GroupPart, members: Membership) -> bool:
    """Whether it has waiting pods, and all of them belong to a quota."""
    return bool(part.waiting) and all(members.quota_of(pod) != NO_QUOTA for pod in part.waiting)


def _name(part: _GroupPart) -> Key:
    return part.group


def _key(pod: Pod, group: Group) -> Key:
    return Key(pod.key.namespace, group.name)


def _held(why: str) -> GroupVerdict:
    return GroupVerdict(Infeasible("WaitingForGroup", why))
