"""The slow judge of whole trees: demand, guarantees and runtimes by the page, quota by quota.

Semantics 3, 4 and 6 and algorithm 2, in as few words as they can be said;
nothing is taken from the product but the values that a quota is made of. It knows the default tree
only, and quotas that are in order: every parent exists, no figure is negative.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import oracle
from elasticquota.model.quota import Quota
from oracle import Claim


ROOT, DEFAULT = "koordinator-root-quota", "koordinator-default-quota"

Amounts = Mapping[str, int]


@dataclass
class Moment:
    """By quota name; ``own`` is the part for the pods that sit in the quota itself."""

    limited: dict[str, Amounts] = field(default_factory=dict)
    mins: dict[str, Amounts] = field(default_factory=dict)
    runtimes: dict[str, Amounts] = field(default_factory=dict)
    own: dict[str, Amounts] = field(default_factory=dict)


def solve(quotas: Sequence[Quota], own: Mapping[str, Amounts], available: Amounts) -> Moment:
    """The figures of the default tree; ``quotas`` oldest first."""
    by_name = {quota.name: quota for quota in quotas}
    children: dict[str, list[str]] = defaultdict(list, {ROOT: [DEFAULT]})
    for quota in quotas:
        children[quota.parent].append(quota.name)
    order = [ROOT]
    for name in order:
        order.extend(children[name])
    keys = {key for quota in quotas for key in (*quota.min, *quota.max)}
    found = Moment()
    _guarantee(found, order, by_name, children)
    _ask(found, order, by_name, children, own)
    total = {key: max(0, available.get(key, 0)) for key in keys}
    found.runtimes[ROOT] = total
    ceilings: dict[str, Amounts] = {ROOT: total}
    for parent in order:
        siblings = sorted(children[parent])
        if not siblings:
            found.own[parent] = found.runtimes[parent]
            continue
        crowd = own.get(parent, {})
        claims: dict[str, list[Claim]] = {}
        for key in keys:
            most = ceilings[parent][key]
            claims[key] = [
                Claim(
                    found.limited[name].get(key, 0),
                    found.mins[name].get(key, 0),
                    _weight(by_name.get(name), key, most, total[key]),
                )
                for name in siblings
            ]
            claims[key].append(Claim(crowd.get(key, 0), 0, most))
        shares = {key: oracle.share(found.runtimes[parent][key], claims[key]) for key in keys}
        for place, name in enumerate(siblings):
            found.runtimes[name] = {key: shares[key][place] for key in keys}
            limit = by_name[name].max if name in by_name else {}
            ceilings[name] = {
                key: min(most, limit.get(key, most)) for key, most in ceilings[parent].items()
            }
        if any(crowd.values()):
            found.own[parent] = {key: shares[key][-1] for key in keys}
    return found


def _guarantee(
    found: Moment,
    order: Sequence[str],
    by_name: Mapping[str, Quota],
    children: Mapping[str, Sequence[str]],
) -> None:
    """The older child first takes its min out of its parent's; what does not fit is refused whole.

    The first level is guaranteed what it says.
    """
    for parent in order:
        left = dict(found.mins.get(parent, {}))
        for name in children[parent]:
            asked = by_name[name].min if name in by_name else {}
            fits = parent == ROOT or all(n <= left.get(key, 0) for key, n in asked.items())
            found.mins[name] = asked if fits else {}
            for key, amount in found.mins[name].items():
                left[key] = left.get(key, 0) - amount


def _ask(
    found: Moment,
    order: Sequence[str],
    by_name: Mapping[str, Quota],
    children: Mapping[str, Sequence[str]],
    own: Mapping[str, Amounts],
) -> None:
    """From the leaves up: own pods and what the children ask for, kept at min, cut by max."""
    for name in reversed(order):
        asked: dict[str, int] = defaultdict(int, own.get(name, {}))
        for child in children[name]:
            for key, amount in found.limited[child].items():
                asked[key] += amount
        quota = by_name.get(name)
        if quota is not None:
            if not quota.allow_lent:
                for key, amount in found.mins[name].items():
                    asked[key] = max(asked[key], amount)
            asked.update({key: min(asked[key], quota.max.get(key, asked[key])) for key in asked})
        found.limited[name] = dict(asked)


def _weight(quota: Quota | None, key: str, most: int, total: int) -> int:
    """The chosen weight, else max as far as the tree could fill it; all 0, once max has filled in
    what was not chosen, is as none chosen.
    """
    chosen = quota.shared_weight if quota is not None and quota.shared_weight else {}
    filled = {**(quota.max if quota is not None else {}), **chosen}
    if any(filled.values()) and key in chosen:
        return chosen[key]
    limit = quota.max.get(key, most) if quota is not None else most
    return min(limit, total)
