"""Children may be guaranteed no more than their parent is: the sum of their min is within its min.

In order of creation: the child that goes beyond is refused, the older ones keep theirs (EQ1104).
The first level of a tree is exempt, because node totals move and must not hinder anybody; there
the sharing itself lets guarantees shrink. What a parent does not have in min it cannot pass on.

Where the administrator lets such sums pass, nobody is refused for them: the sharing then fills the
guarantees in proportion below every parent, and who goes beyond is told so.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from elasticquota import quantity, resources
from elasticquota.forest import wording
from elasticquota.forest.settings import Terms
from elasticquota.forest.structure import Tree
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.model.verdict import ACCEPTED, Verdict
from elasticquota.resources import EMPTY, Resources


def judge(
    tree: Tree, quotas: Mapping[str, Quota], verdicts: dict[str, Verdict], chosen: Terms
) -> None:
    """Change the verdict on every accepted quota of ``tree`` whose min goes beyond.

    ``verdicts`` by quota name, final for all reasons but this one.
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
    """The same for the ``children`` of ``name``, which is not the root and has its verdict.

    ``refused``: whether a sum that does not fit costs the younger ones their guarantee.
    """
    parent = _Parent(name, quotas[name].min, verdicts[name], refused=refused)
    for child in sorted(children, key=lambda child: judged_after(quotas[child])):
        if verdicts[child].accepted:
            verdicts[child] = parent.guarantee(child, resources.positive(quotas[child].min))


def judged_after(quota: Quota) -> tuple[str, str, Key]:
    """Sorts quotas into the order of their creation."""
    return (quota.created, quota.uid, quota.key)


class _Parent:
    """The min of one parent as it is handed out, child by child."""

    def __init__(self, name: str, own_min: Resources, verdict: Verdict, *, refused: bool) -> None:
        self._name = name
        self._refused = refused
        self._verdict = verdict
        self._min = own_min if verdict.accepted else EMPTY
        self._taken: dict[str, int] = {}
        self._takers: dict[str, list[str]] = defaultdict(list)

    def guarantee(self, child: str, asked: Resources) -> Verdict:
        after = resources.add(self._taken, asked)
        beyond = [key for key in sorted(asked) if after[key] > self._min.get(key, 0)]
        verdict = self._verdict_on(asked, beyond)
        if not verdict.accepted:
            return verdict
        self._taken = after
        for key, amount in asked.items():
            self._takers[key].append(f"{child} {quantity.text(key, amount)}")
        return verdict

    def _verdict_on(self, asked: Resources, beyond: Sequence[str]) -> Verdict:
        if not beyond:
            return ACCEPTED
        if self._refused:
            return Verdict("MinExceedsParent", self._refusal(asked, beyond))
        told = f"guarantees are filled in proportion, because {self._refusal(asked, beyond)}"
        return ACCEPTED.but([f"{told} [EQ1104]"])

    def _refusal(self, asked: Resources, beyond: Sequence[str]) -> str:
        if not self._verdict.accepted:
            return (
                f"parent '{self._name}' is not accepted ({self._verdict.reason}), "
                f"so it guarantees nothing that spec.min could be part of"
            )
        return wording.listed([self._sentence(key, asked[key]) for key in beyond], "; ")

    def _sentence(self, key: str, asked: int) -> str:
        guaranteed, taken = self._min.get(key, 0), self._taken.get(key, 0)
        takers = self._takers.get(key)
        by = f": {wording.listed(takers, ', ')}" if takers else ""
        return (
            f"spec.min.{key}: {quantity.text(key, asked)} must be less than or equal to "
            f"{quantity.text(key, max(0, guaranteed - taken))}, the unreserved min of parent "
            f"'{self._name}' (min {quantity.text(key, guaranteed)}, "
            f"children reserve {quantity.text(key, taken)}{by})"
        )
