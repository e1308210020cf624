"""The sum of the children's min must not exceed the parent's min (EQ1104).

Children are judged in the order of creation: a child that exceeds the sum is refused, and the older
ones keep their min. A key that is missing in the parent's min is 0 there. The first level of a tree
is exempt, because the total of the nodes changes by itself; there the sharing shrinks guarantees.

Where the administrator allows such sums, no quota is refused for them. The sharing then fills the
guarantees below every parent in proportion, and the verdict of a child that exceeds the sum says
so.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from elasticquota import pool_keys, quantity, resources
from elasticquota.forest import violation, wording
from elasticquota.forest.settings import SharingTerms
from elasticquota.forest.structure import Forest, Tree
from elasticquota.forest.violation import Violation
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


def beyond(
    asked: Resources,
    parent: str,
    promised: Resources,
    taken: Resources,
    takers: Callable[[str], Mapping[str, int]],
    rule: str = "EQ1104",
) -> Iterator[Violation]:
    """Yield the amounts of ``asked`` that the min of a parent does not cover any more.

    ``promised`` is the min of the parent, ``taken`` what other children have of it together, and
    ``takers`` says by resource what each has. All are accounting units.
    """
    for key, amount in sorted(asked.items()):
        free = max(promised.get(key, 0) - taken.get(key, 0), 0)
        if amount <= free:
            continue
        text = partial(quantity.text, key)
        others = "no other child reserves any"
        if taken.get(key, 0):
            others = f"children reserve {text(taken[key])}: {each(key, takers(key))}"
        yield Violation(
            rule,
            pool_keys.field("min", key),
            f"{text(amount)} must be less than or equal to {text(free)}, the unreserved min of "
            f"parent '{parent}' (min {text(promised.get(key, 0))}, {others})",
            f"Lower it, or raise the min of '{parent}'",
        )


def each(key: str, held: Mapping[str, int]) -> str:
    """Return ``team-b 4, team-a 2``: what each quota has of a resource, the largest first."""
    largest_first = sorted(held.items(), key=lambda pair: (-pair[1], pair[0]))
    return violation.listed(
        f"{name} {quantity.text(key, amount)}" for name, amount in largest_first
    )


class _Parent:
    """The min of one parent, which is handed out child by child."""

    def __init__(self, name: str, own_min: Resources, verdict: Verdict, *, refused: bool) -> None:
        self._name = name
        self._refused = refused
        self._verdict = verdict
        self._min = own_min if verdict.accepted else EMPTY
        self._taken: dict[str, int] = {}
        self._takers: dict[str, dict[str, int]] = defaultdict(dict)

    def guarantee(self, child: str, asked: Resources) -> Verdict:
        """Hand out ``asked`` to a child, unless it is refused; return the verdict on the child."""
        takers = self._takers.__getitem__
        found = [*beyond(asked, self._name, self._min, self._taken, takers)]
        if found and self._refused:
            return Verdict("MinExceedsParent", self._refusal(found))
        self._taken = resources.add(self._taken, asked)
        for key, amount in asked.items():
            self._takers[key][child] = amount
        if not found:
            return ACCEPTED
        return ACCEPTED.but(
            [f"guarantees are filled in proportion, because {self._refusal(found)}"]
        )

    def _refusal(self, found: Sequence[Violation]) -> str:
        if not self._verdict.accepted:
            return (
                f"parent '{self._name}' is not accepted ({self._verdict.reason}), "
                f"so it guarantees nothing that spec.min could be part of [EQ1104]"
            )
        return wording.listed([fault.line for fault in found], "; ")
