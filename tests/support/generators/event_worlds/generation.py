"""A random world for each seed. Families of seeds differ in what may happen in them."""

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

from event_worlds.description import (
    MALICE,
    Amounts,
    Deleted,
    Edited,
    Event,
    External,
    NodeGone,
    NodePut,
    NodeSpec,
    Protected,
    QuotaSpec,
    Restarted,
    Submitted,
    Withdrawn,
    WorldSpec,
)


_PAUSES: Final = (0, 0, 100, 1_000, 3_000, 7_000, 40_000, 130_000, 500_000)
_KINDS: Final = {
    "submit": 12,
    "edit": 3,
    "move": 1,
    "delete": 1,
    "node": 2,
    "lose": 1,
    "external": 1,
    "withdraw": 2,
    "protect": 1,
    "restart": 1,
    "malice": 1,
}
"""Weights."""
_CALM: Final = {"submit": 8, "withdraw": 1, "restart": 1}


class _Draft(NamedTuple):
    """What a world has so far, for events that refer to it; its lists grow."""

    dice: Random
    resources: Sequence[str]
    quotas: dict[str, QuotaSpec]
    nodes: dict[str, NodeSpec]
    workloads: list[str]

    @property
    def leaves(self) -> list[str]:
        return [name for name in self.quotas if name.startswith("q")]


def world(seed: int) -> WorldSpec:
    """The world of a seed; every third one has no changes of quotas and nodes."""
    dice = Random(f"event world {seed}")
    resources = dice.choice((("cpu",), ("cpu",), ("cpu", "memory"), ("cpu", "gpu")))
    draft = _Draft(dice, resources, {}, {}, [])
    for number in range(dice.randint(1, 6)):
        name = f"n{number}"
        draft.nodes[name] = _node(draft, name)
    _add_quotas(draft)
    quotas, nodes = tuple(draft.quotas.values()), tuple(draft.nodes.values())
    kinds = _CALM if seed % 3 == 0 else _KINDS
    names = list(kinds)
    events = []
    for _ in range(dice.randint(5, 14 if seed % 2 else 40)):
        (kind,) = dice.choices(names, [kinds[each] for each in names])
        events.append((dice.choice(_PAUSES), _EVENTS[kind](draft)))
    return WorldSpec(
        quotas,
        nodes,
        tuple(events),
        faults=seed % 5 == 4,
        patience=300_000 if seed % 7 == 6 else 0,
    )


def _node(draft: _Draft, name: str) -> NodeSpec:
    dice = draft.dice
    offers = {"cpu": dice.choice((1, 2, 3, 4, 4, 6, 8))}
    if "memory" in draft.resources:
        offers["memory"] = dice.choice((2, 4, 6, 8))
    if "gpu" in draft.resources and dice.random() < 0.6:
        offers["gpu"] = dice.choice((1, 2, 4))
    return NodeSpec(
        name,
        offers,
        tainted=dice.random() < 0.1,
        cordoned=dice.random() < 0.05,
        matches=dice.random() < 0.95,
    )


def _add_quotas(draft: _Draft) -> None:
    """Add two to eight quotas on up to three levels; what is guaranteed fits the nodes at first."""
    dice = draft.dice
    total = {
        key: sum(node.offers.get(key, 0) for node in draft.nodes.values() if node.matches)
        for key in draft.resources
    }
    left = {"": total}
    count = dice.randint(2, 8)
    departments = dice.randint(0, min(3, count - 1))
    for number in range(count):
        is_department = number < departments
        parents = [f"d{each}" for each in range(min(number, departments))]
        if is_department:
            parents = parents[:1]
        parent = dice.choice(("", *parents)) if parents else ""
        low = {
            key: dice.randint(0, left[parent].get(key, 0))
            for key in draft.resources
            if key in left[parent] and dice.random() < 0.85
        }
        if not is_department and low and dice.random() < 0.3:
            low = dict.fromkeys(low, 0)
        for key, amount in low.items():
            left[parent][key] -= amount
        name = f"d{number}" if is_department else f"q{number}"
        left[name] = dict(low)
        draft.quotas[name] = QuotaSpec(name, parent, low, _high(dice, low), _weight(dice))


def _high(dice: Random, low: Amounts) -> Amounts:
    if dice.random() < 0.7:
        return {}
    return {key: amount + dice.choice((0, 1, 2, 4)) for key, amount in low.items()}


def _weight(dice: Random) -> int:
    return dice.choice((0, 0, 0, 1, 2, 3))


def _request(draft: _Draft) -> Amounts:
    dice = draft.dice
    request = {"cpu": dice.choice((1, 1, 1, 2, 2, 3, 4))}
    if "memory" in draft.resources and dice.random() < 0.8:
        request["memory"] = dice.choice((1, 1, 2, 3))
    if "gpu" in draft.resources and dice.random() < 0.5:
        request["gpu"] = dice.choice((1, 1, 2))
    return request


def _submit(draft: _Draft) -> Event:
    dice = draft.dice
    name = f"w{len(draft.workloads)}"
    draft.workloads.append(name)
    gang = dice.random() < 0.15
    return Submitted(
        name,
        dice.choice(draft.leaves),
        _request(draft),
        pods=dice.choice((2, 2, 3)) if gang else dice.choice((1, 1, 2, 3, 5)),
        gang=gang,
        priority=dice.choice((0, 0, 0, 5, 10)),
        may_preempt=dice.random() < 0.85,
        preemptible=dice.random() < 0.85,
        evict_last=dice.random() < 0.05,
        tolerates=dice.random() < 0.2,
        grace=dice.choice((0, 0, 0, 2, 30)),
        runs=dice.choice((0, 0, 0, 20, 300)),
    )


def _malice(draft: _Draft) -> Event:
    dice = draft.dice
    name = f"w{len(draft.workloads)}"
    draft.workloads.append(name)
    kind = dice.choice(MALICE)
    cpu = {"huge": 10**9, "affinities": 1}.get(kind) or dice.choice((1, 2, 4))
    pods = 101 if kind == "affinities" else dice.choice((1, 3))
    priority = dice.choice((0, 2_000_000_000))
    quota = dice.choice(draft.leaves)
    return Submitted(name, quota, {"cpu": cpu}, pods, priority=priority, malice=kind)


def _edit(draft: _Draft) -> Event:
    dice = draft.dice
    quota = draft.quotas[dice.choice(list(draft.quotas))]
    low = {
        key: max(0, amount + dice.choice((-4, -2, -1, 0, 1, 2)))
        for key, amount in quota.min.items()
    }
    high = _high(dice, low) if dice.random() < 0.7 else quota.max
    quota = quota._replace(min=low, max=high, weight=_weight(dice))
    draft.quotas[quota.name] = quota
    return Edited(quota)


def _move(draft: _Draft) -> Event:
    dice = draft.dice
    quota = draft.quotas[dice.choice(draft.leaves)]
    parents = ["", *(name for name in draft.quotas if name.startswith("d"))]
    quota = quota._replace(parent=dice.choice(parents))
    if quota.parent == quota.name:
        quota = quota._replace(parent="")
    draft.quotas[quota.name] = quota
    return Edited(quota)


def _delete(draft: _Draft) -> Event:
    return Deleted(draft.dice.choice(draft.leaves), draft.dice.choice((1, 10, 100)))


def _put_node(draft: _Draft) -> Event:
    """A node comes, or has other sizes or traits."""
    name = f"n{draft.dice.randrange(len(draft.nodes) + 1)}"
    node = draft.nodes[name] = _node(draft, name)
    return NodePut(node)


def _lose(draft: _Draft) -> Event:
    return NodeGone(draft.dice.choice(list(draft.nodes)))


def _external(draft: _Draft) -> Event:
    return External(draft.dice.choice(list(draft.nodes)), draft.dice.choice((1, 2)))


def _withdraw(draft: _Draft) -> Event:
    return Withdrawn(draft.dice.choice(draft.workloads or ["none"]))


def _protect(draft: _Draft) -> Event:
    return Protected(
        draft.dice.choice(draft.workloads or ["none"]), draft.dice.choice((5, 60, 400))
    )


def _restart(draft: _Draft) -> Event:
    return Restarted()


_EVENTS: Final = {
    "submit": _submit,
    "edit": _edit,
    "move": _move,
    "delete": _delete,
    "node": _put_node,
    "lose": _lose,
    "external": _external,
    "withdraw": _withdraw,
    "protect": _protect,
    "restart": _restart,
    "malice": _malice,
}
