"""Trees of quotas to measure on: four shapes, eight resources, requests of 1.5 times the total.

Seeded, so that two runs measure the same inputs. Shared weight is always set (to max, the default),
and every quota requests at least its min, so that the usual method and ours should have the same
results: where they differ on purpose (idle guarantees, unset weights), speed is not the question.
"""

import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from elasticquota import names, resources
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.resources import Resources


GI: Final = 1024**3
EXTENDED: Final = (
    "nvidia.com/gpu",
    "amd.com/gpu",
    "habana.ai/gaudi",
    "rdma/hca",
    "example.com/fpga",
    "example.com/license",
)
LARGEST_REQUEST: Final = {
    names.CPU: 400_000,
    names.MEMORY: 1024 * GI,
    **dict.fromkeys(EXTENDED, 64),
}
"""Of one leaf, in accounting units; the keys are the eight resources."""

ONE_POD: Final = {names.CPU: 4_000, names.MEMORY: 16 * GI, EXTENDED[0]: 1}
"""What an event adds or removes."""

TOP: Final = -1
"""The parent of a quota of the first level."""

_STANDING: Final = 20
"""Pods that an event stream keeps running, so that a removal undoes an older addition."""

Shape = Callable[[int], list[int]]
"""A function from a number of quotas to the index of each one's parent, parents first."""


def flat(count: int) -> list[int]:
    """All quotas below one parent."""
    return [TOP] * count


def fan(count: int) -> list[int]:
    """Ten children each, level by level."""
    return [i // 10 - 1 for i in range(count)]


def chains(count: int) -> list[int]:
    """Chains of thirty, one below the other."""
    return [i - 1 if i % 30 else TOP for i in range(count)]


def branching(count: int) -> list[int]:
    """Each below a random earlier one: many small sibling sets, some large, uneven depth."""
    chance = random.Random(count)  # noqa: S311 - reproducible inputs, no secrets
    return [chance.randrange(TOP, i) for i in range(count)]


SHAPES: Final[Mapping[str, Shape]] = {
    "flat": flat,
    "fan 10": fan,
    "chains of 30": chains,
    "random": branching,
}


@dataclass(frozen=True, slots=True)
class Workload:
    """One tree and its requests; amounts in accounting units."""

    quotas: tuple[Quota, ...]
    """Parents before their children."""
    own_request: Mapping[str, Resources]
    """The request of every leaf, by quota name."""
    available: Resources

    @property
    def leaves(self) -> tuple[str, ...]:
        return tuple(self.own_request)


def make(shape: str, count: int) -> Workload:
    """``count`` quotas in a shape of ``SHAPES``; each resource is requested 1.5 times over."""
    parents = SHAPES[shape](count)
    children: list[list[int]] = [[] for _ in parents]
    for i, parent in enumerate(parents):
        if parent != TOP:
            children[parent].append(i)
    chance = random.Random(count)  # noqa: S311 - reproducible inputs, no secrets
    requests, limited, lower, upper = ([dict[str, int]() for _ in parents] for _ in range(4))
    for i in reversed(range(count)):
        for key, largest in LARGEST_REQUEST.items():
            if children[i]:
                request = sum(limited[child][key] for child in children[i])
                floor = sum(lower[child][key] for child in children[i])
                ceiling = sum(upper[child][key] for child in children[i])
                if len(children[i]) > 1:
                    ceiling = max(2 * floor, int(ceiling * chance.uniform(0.8, 1)))
            else:
                request = chance.randint(1, largest)
                ceiling = max(1, int(request * chance.uniform(0.7, 2)))
                floor = int(min(request, ceiling) * chance.uniform(0, 0.5))
            requests[i][key], limited[i][key] = request, min(request, ceiling)
            lower[i][key], upper[i][key] = floor, ceiling
    asked = resources.add(*(limited[i] for i, parent in enumerate(parents) if parent == TOP))
    quota_names = [f"quota-{i:06}" for i in range(count)]
    return Workload(
        quotas=tuple(
            Quota(
                key=Key("quotas", name),
                uid=name,
                created="2026-01-01T00:00:00Z",
                parent=names.ROOT_QUOTA if parents[i] == TOP else quota_names[parents[i]],
                is_parent=bool(children[i]),
                min=lower[i],
                max=upper[i],
                shared_weight=upper[i],
            )
            for i, name in enumerate(quota_names)
        ),
        own_request={name: requests[i] for i, name in enumerate(quota_names) if not children[i]},
        available={key: amount * 2 // 3 for key, amount in asked.items()},
    )


def pod_events(workload: Workload, count: int) -> Iterator[tuple[str, Resources]]:
    """Pods added to random leaves and removed again, by turns: the leaf and its new own request."""
    chance = random.Random(count)  # noqa: S311 - reproducible inputs, no secrets
    leaves = workload.leaves
    own = dict(workload.own_request)
    standing: deque[str] = deque()
    for turn in range(count):
        if turn % 2 and len(standing) > _STANDING:
            leaf = standing.popleft()
            own[leaf] = resources.subtract(own[leaf], ONE_POD)
        else:
            leaf = chance.choice(leaves)
            standing.append(leaf)
            own[leaf] = resources.add(own[leaf], ONE_POD)
        yield leaf, own[leaf]
