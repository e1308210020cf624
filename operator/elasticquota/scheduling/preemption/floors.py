"""Floors: what every quota on the way keeps when a victim leaves it, and how well it keeps that.

A victim leaves its quota and all quotas above it, up to the branch below the quota that it shares
with the taker. Each of them has a floor: its min. The rank of a victim says how the floors hold:

1. each quota keeps its floor in every resource that the victim requests;
2. each keeps it in the resources that are lacking: one that borrows cpu is no fortress because it
   uses less memory than its min;
3. where a floor breaks, the victim is partly beyond it in a lacking resource: it is borrowed as a
   whole.

With pools the floors of a pool and of the whole resource hold side by side, and while a pool is
lacking the floor of the whole counts as lacking too, unless it is the taker's min of that pool that
is due (``guarantees``): two mins of the whole never take from each other.

A guarantee and a limit take ranks 1, 2 and 3, in this order. A fair share takes rank 1 only, and
each quota also keeps as large a part of its runtime as the taker has.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Final

from elasticquota import names, pool_keys, resources
from elasticquota.model.workload import Workload
from elasticquota.resources import EMPTY, Resources
from elasticquota.scheduling.preemption import victims
from elasticquota.scheduling.snapshot import dominant_shares
from elasticquota.scheduling.snapshot.dominant_shares import WHOLE
from elasticquota.scheduling.snapshot.tree_snapshot import TreeSnapshot
from elasticquota.scheduling.snapshot.usage_tree import Place


KEPT: Final = 1
KEPT_WHERE_LACKING: Final = 2
PARTLY_BEYOND: Final = 3

Taken = Mapping[Place, Resources]
"""What the victims chosen so far on trial return, by place."""
NONE_TAKEN: Final[Taken] = MappingProxyType({})


class Floors:
    """Of one tree in one cycle; reads the snapshot, in which earlier victims count as gone."""

    def __init__(self, snapshot: TreeSnapshot) -> None:
        self._snapshot = snapshot
        self._min = snapshot.guarantees.of
        tree = snapshot.tree
        self.shared = tree.runtimes.runtime(tree.tree.root).keys() - {names.PODS}
        """The resources that have a floor."""

    def judged(self, lacking: AbstractSet[str], request: Resources) -> AbstractSet[str]:
        """The resources of which rank 2 and 3 speak, where ``lacking`` are missing for ``request``.

        Pod slots and what no quota shares have no floor: then all that is requested counts.
        """
        return (lacking & self.shared) or (request.keys() & self.shared)

    def rank(
        self,
        branch: Sequence[Place],
        victim: Workload,
        lacking: AbstractSet[str],
        taken: Taken = NONE_TAKEN,
    ) -> int | None:
        """How the floors of ``branch`` hold without ``victim``; None: it may not go.

        ``branch`` is the way from the victim's quota to the one below the quota that it shares with
        the taker. For a victim that holds no room, as no node took it in time, all that its quotas
        are asked for counts.
        """
        worst, timed_out = KEPT, self._snapshot.tree.timed_out
        unplaced = bool(branch and branch[0].quota in timed_out) and victims.holds_no_room(
            victim, self._snapshot.cluster.account(branch[0].quota)
        )
        for place in branch:
            if place.itself:
                continue
            floor, here = self._min(place.quota), self._snapshot.at(place)
            gone = taken.get(place, EMPTY)
            also = timed_out.get(place.quota, EMPTY) if unplaced else EMPTY
            broken = False
            for key, asked in victim.request.items():
                if asked > 0 and key in floor:
                    held = here.held(key) + also.get(key, 0) - gone.get(key, 0)
                    if held - asked < floor[key]:
                        worst = max(worst, KEPT_WHERE_LACKING)
                        broken = broken or key in lacking
            if broken:
                holds = {
                    key: here.held(key) + also.get(key, 0) - gone.get(key, 0)
                    for key in lacking
                    if victim.request.get(key, 0) > 0
                }
                beyond = {key for key, held in holds.items() if held > floor.get(key, 0)}
                within = holds.keys() & floor.keys() - beyond
                if {*map(pool_keys.resource, beyond)} <= {*map(pool_keys.resource, within)}:
                    return None
                worst = PARTLY_BEYOND
        return worst

    def beyond_runtime(self, branch: Sequence[Place]) -> AbstractSet[str]:
        """The resources of which every quota of ``branch`` holds more than its runtime."""
        on_path = [self._snapshot.at(place) for place in branch]
        beyond = (frozenset(resources.beyond(here.staying, here.limit)) for here in on_path)
        return frozenset.intersection(*beyond)

    def part(self, place: Place, request: Resources, taken: Taken = NONE_TAKEN) -> int:
        """What is held at ``place``, as the largest part of its runtime (``dominant_shares``).

        What it holds of pools that ``request`` does not ask gives no room in another pool. And a
        pod that may go to several pools counts in all of them only as long as it waits.
        """
        here, gone = self._snapshot.at(place), taken.get(place, EMPTY)
        has_pools = bool(self._snapshot.cluster.pools)
        held = {
            key: here.held(key) - gone.get(key, 0)
            for key in here.limit
            if not has_pools or key in request or not pool_keys.is_reserved(key)
        }
        return dominant_shares.part(here.limit, held)

    def leaves_share(
        self,
        branch: Sequence[Place],
        victim: Workload,
        lacking: AbstractSet[str],
        taken: Taken,
        least: int,
    ) -> bool:
        """Whether each quota keeps ``least`` of its runtime without ``victim``.

        ``least`` is a part in ``dominant_shares.WHOLE``; only what is lacking counts.
        """
        for place in branch:
            here, gone = self._snapshot.at(place), taken.get(place, EMPTY)
            for key in lacking:
                asked = victim.request.get(key, 0)
                if asked > 0 and key in here.limit:
                    left = here.held(key) - gone.get(key, 0) - asked
                    if left * WHOLE < least * here.limit[key]:
                        return False
        return True
