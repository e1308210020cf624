"""Runs decision cycles and carries out each decision, until nothing changes any more.

Released pods are placed at once, on the nodes for which they were released, and evicted pods end at
once. Their workload re-creates them at the end of the queue; a pod without a workload is gone. A
reclaimed job loses all of its pods and is queued again; an admitted queued job gets no pods here.
When nothing is left to do, time moves to the next moment at which the controller would wake up.
Disruption budgets are not simulated, and evictions are not spread over time.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from elasticquota import names, resources
from elasticquota.decisions import decide
from elasticquota.model.decision import Decisions, Release
from elasticquota.model.key import Key
from elasticquota.model.workload import QueuedJob
from elasticquota.structs import Struct, field, replace
from elasticquota_cli.simulate import report
from elasticquota_cli.simulate.webhook import Webhook
from elasticquota_cli.simulate.world import SOMEWHERE, World, placed


MOST_ROUNDS: Final = 100


class Settling(Struct, frozen=True):
    """The end of a simulation; ``last`` is the decision of the last cycle."""

    last: Decisions
    reclaims: list[report.Reclaimed]
    elapsed: int
    """Milliseconds since the start."""
    settled: bool
    admitted: Mapping[str, int] = field(default_factory=dict)
    """Uid of each workload that was admitted -> milliseconds since the start."""


def settle(world: World) -> Settling:
    """Run at most `MOST_ROUNDS` cycles on ``world``, until nothing changes."""
    reclaims: list[report.Reclaimed] = []
    admitted: dict[str, int] = {}
    start = world.now
    for _ in range(MOST_ROUNDS):
        decisions = _decide(world)
        evicted = _evict(world, decisions, world.now - start)
        reclaims += evicted
        releases = decisions.of_workloads.releases
        released = _release(world, releases, decisions.clocks.booked)
        admitted |= {each.uid: world.now - start for each in releases}
        if write_roots(world, decisions) or released or evicted:
            continue
        if decisions.wake_at is None:
            return Settling(decisions, reclaims, world.now - start, True, admitted)
        world.now = max(decisions.wake_at, world.now + 1)
    return Settling(decisions, reclaims, world.now - start, False, admitted)


def grow_roots(world: World) -> None:
    """Write the root quotas that the profiles want, as the controller does."""
    for _ in range(MOST_ROUNDS):
        if not write_roots(world, _decide(world)):
            return


def admit_new(world: World) -> None:
    """Admit the pods that were written by hand, until no more fit; leaves all others alone."""
    for _ in range(MOST_ROUNDS):
        decisions = _decide(world)
        found = decisions.of_workloads.releases
        fresh = [each for each in found if world.is_new(each.uid)]
        if not _release(world, fresh, decisions.clocks.booked):
            return


def write_roots(world: World, decisions: Decisions) -> bool:
    """Carry out the decisions on root quotas; returns whether anything changed."""
    written = [world.put_root(root) for root in decisions.roots]
    for key in decisions.orphan_roots:
        world.remove_quota(key)
    return any(written) or bool(decisions.orphan_roots)


def _decide(world: World) -> Decisions:
    world.place_new()
    decisions = decide.decide(world.ledger, world.now, world.policy)
    world.ledger.remember(decisions.clocks)
    return decisions


def _release(world: World, releases: Sequence[Release], booked: Mapping[str, str]) -> bool:
    """Admit and place; ``booked``: the nodes on which the released pods start, by uid."""
    for release in releases:
        job = world.devices.job(release.pod)
        if job is not None:
            world.devices.put_job(replace(job, gates=()))
            continue
        pod = world.pods[release.pod]
        gates = tuple(gate for gate in pod.gates if gate != names.GATE)
        node = booked.get(pod.uid) or SOMEWHERE
        world.devices.put_pod(placed(replace(pod, gates=gates), node))
    return bool(releases)


def _evict(world: World, decisions: Decisions, after: int) -> list[report.Reclaimed]:
    """Carry out the evictions, ``after`` milliseconds since the start."""
    evictions = decisions.of_workloads.evictions
    if not evictions:
        return []
    entrance = Webhook(world)
    return [
        report.Reclaimed(
            *each.pod,
            quota=each.quota,
            request=resources.text(each.request),
            message=each.message,
            returns=_evicted(world, each.pod, entrance),
            after_milliseconds=after,
            for_quota=each.owner,
            for_workload=each.preemptor,
        )
        for each in evictions
    ]


def _evicted(world: World, key: Key, entrance: Webhook) -> bool:
    job = world.devices.job(key)
    return remake(world, key, entrance) if job is None else _suspend(world, job)


def remake(world: World, key: Key, entrance: Webhook) -> bool:
    """Remove a pod; returns whether its workload re-created it, as a new pod that may wait."""
    pod, owner = world.pods[key], world.owners.get(key)
    world.remove_pod(key)
    if owner is None:
        return False
    fresh = replace(pod, node_name="", started="", gates=(), waiting_message="")
    world.put_pod(entrance.admitted(world.new(fresh)), owner)
    return True


def _suspend(world: World, job: QueuedJob) -> bool:
    """Remove the pods of the job, and queue the job again."""
    for key in list(world.ledger.update(world.policy.accounting).index.pods_of(job.key)):
        world.remove_pod(key)
    uid, created = world.stamp()
    world.devices.put_job(replace(job, uid=uid, created=created, gates=(names.GATE,)))
    return True
