"""The sum of the children's min must not exceed the parent's min (EQ1104).

Children are judged in the order of creation: a child that exceeds the sum is refused, and the older
ones keep their min. A key that is missing in the parent's min is 0 there. The first level of a tree
is exempt, because the total of the nodes changes by itself; there the sharing shrinks guarantees.

Where the administrator allows such sums, no quota is refused for them. The sharing then fills the
guarantees below every parent in proportion, and the verdict of a child that exceeds the sum says
so.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from elasticquota import pool_keys, quantity, resources
from elasticquota.forest import wording
from elasticquota.forest.settings import SharingTerms
from elasticquota.forest.structure import Forest, Tree
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.model.verdict import ACCEPTED, Verdict
from elasticquota.resources import EMPTY, Resources


def judge(
    tree: Tree, quotas: Mapping[str, Quota], verdicts: dict[str, Verdict], chosen: SharingTerms
) -> None:
    """Judge the sums of min in ``tree`` and update ``verdicts`` in place.

    ``verdicts`` are by quota name, and final for all reasons but this one.
    """
    refused = chosen.sums_refused.holds_in(tree.id)
    for name in tree.order[1:]:
        judge_children(name, tree.children[name], quotas, verdicts, refused=refused)


def judge_children(
    name: str,
    children: Iterable[str],
    quotas: Mapping[str, Quota],
    verdicts: dict[str, Verdict],
    *,
    refused: bool,
) -> None:
    """Judge the ``children`` of ``name``, which is not the root and has its final verdict.

    ``refused``: whether a child that exceeds the sum is refused, or only gets a warning.
    """
    parent = _Parent(name, quotas[name].min, verdicts[name], refused=refused)
    for child in sorted(children, key=lambda child: judged_after(quotas[child])):
        if verdicts[child].accepted:
            verdicts[child] = parent.guarantee(child, resources.positive(quotas[child].min))


def of_first_level(tree: Tree, forest: Forest) -> Resources:
    """Return what the quotas directly below the root of ``tree`` are guaranteed together."""
    return resources.add(*(forest.effective_min(name) for name in tree.children.get(tree.root, ())))


def judged_after(quota: Quota) -> tuple[str, str, Key]:
    """Sort key of the order in which quotas are judged: creation, then uid, then key."""
    return (quota.created, quota.uid, quota.key)


class _Parent:
    """The min of one parent, which is handed out child by child."""

    def __init__(self, name: str, own_min: Resources, verdict: Verdict, *, refused: bool) -> None:
        self._name = name
        self._refused = refused
        self._verdict = verdict
        self._min = own_min if verdict.accepted else EMPTY
        self._taken: dict[str, int] = {}
        self._takers: dict[str, list[str]] = defaultdict(list)

    def guarantee(self, child: str, asked: Resources) -> Verdict:
        """Hand out ``asked`` to a child, unless it is refused; return the verdict on the child."""
        after = resources.add(self._taken, asked)
        exceeding = [key for key in sorted(asked) if after[key] > self._min.get(key, 0)]
        verdict = self._verdict_on(asked, exceeding)
        if not verdict.accepted:
            return verdict
        self._taken = after
        for key, amount in asked.items():
            self._takers[key].append(f"{child} {quantity.text(key, amount)}")
        return verdict

    def _verdict_on(self, asked: Resources, exceeding: Sequence[str]) -> Verdict:
        if not exceeding:
            return ACCEPTED
        if self._refused:
            return Verdict("MinExceedsParent", self._refusal(asked, exceeding))
        warning = f"guarantees are filled in proportion, because {self._refusal(asked, exceeding)}"
        return ACCEPTED.but([f"{warning} [EQ1104]"])

    def _refusal(self, asked: Resources, exceeding: Sequence[str]) -> str:
        if not self._verdict.accepted:
            return (
                f"parent '{self._name}' is not accepted ({self._verdict.reason}), "
                f"so it guarantees nothing that spec.min could be part of"
            )
        return wording.listed([self._sentence(key, asked[key]) for key in exceeding], "; ")

    def _sentence(self, key: str, asked: int) -> str:
        guaranteed, taken = self._min.get(key, 0), self._taken.get(key, 0)
        takers = self._takers.get(key)
        by = f": {wording.listed(takers, ', ')}" if takers else ""
        return (
            f"{pool_keys.field('min', key)}: {quantity.text(key, asked)} "
            f"must be less than or equal to {quantity.text(key, max(0, guaranteed - taken))}, "
            f"the unreserved min of parent '{self._name}' (min {quantity.text(key, guaranteed)}, "
            f"children reserve {quantity.text(key, taken)}{by})"
        )
