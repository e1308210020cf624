"""A trial: applies objects to a new world and runs it until it settles."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from elasticquota import names, totals
from elasticquota.forest import wording
from elasticquota.model.capacity_mode import NODES
from elasticquota.structs import Struct, replace
from elasticquota_cli.arguments import config
from elasticquota_cli.failures import failure
from elasticquota_cli.failures.failure import BAD_INPUT, Failure, InputFault
from elasticquota_cli.printers import amount
from elasticquota_cli.simulate import apply, documents, home, manifests, outcome, settle
from elasticquota_cli.simulate.apply import Applied
from elasticquota_cli.simulate.objects import Objects
from elasticquota_cli.simulate.report import Report, Simulation
from elasticquota_cli.simulate.settle import Settling
from elasticquota_cli.simulate.webhook import Webhook
from elasticquota_cli.simulate.world import World
from elasticquota_config.model import Configuration


class Trial(Struct, frozen=True):
    """A settled world with its outcome."""

    world: World
    outcome: Simulation
    notes: list[str]
    """Notes for the user, one sentence each."""
    settling: Settling
    """How the world settled."""


def read(
    files: Sequence[str],
    chosen: Configuration | None = None,
    usual: str = "",
    required: str = "",
) -> Objects:
    """Read the objects in files; raises `Failure` with a line for each fault.

    ``chosen`` takes precedence over the configuration in the files. Objects that name no namespace
    are in the ``usual`` one, or in ``default``; with a ``required`` one, all must be in it.
    """
    faults: list[InputFault] = []
    given = documents.read(files, faults)
    if usual:
        given = list(home.placed(given, usual, required, faults))
    return sound(manifests.read(given, faults, chosen), faults)


def sound(objects: Objects, faults: Sequence[InputFault]) -> Objects:
    """``objects`` without terminating pods; raises `Failure` if there are ``faults``."""
    failure.refuse(faults)
    # Terminating pods end at once here, as evicted pods do.
    objects.pods = [found for found in objects.pods if not found.pod.deleting]
    objects.jobs = [found for found in objects.jobs if not found.deleting]
    return objects


def of(objects: Objects, file: Path | None = None) -> Trial:
    """Run ``objects`` with the configuration in ``file``, or else the one among them."""
    if objects.removals:
        where = objects.removals[0].where
        text = f"{where}: {manifests.DIRECTIVE}: {manifests.DELETE} is for files of --what-if"
        raise Failure(text, BAD_INPUT)
    chosen = config.chosen(file) or objects.configuration or Configuration()
    # Evictions are not spread over time here and no pod ends, so no pod is overtaken forever.
    # Nor is there a wall clock by which a pod could lack a node for too long.
    policy = replace(
        chosen.policy().at_once(),
        head_of_line=0,
        accounting=replace(chosen.what_counts(), unschedulable_timeout=0),
    )
    world = World(policy, chosen.validation())
    applied = apply.base(world, objects)
    settling = settle.settle(world)
    simulation = outcome.of(settling, applied.refused)
    notes = [*objects.notes, *applied.notes]
    notes += [*warnings(applied), *passed_over(objects), *skipped(objects), *_missing(world)]
    return Trial(world, simulation, notes, settling)


def skipped(objects: Objects) -> list[str]:
    """A note on objects that have no part in a simulation."""
    listed = documents.kinds(objects.skipped)
    return [f"skipped, because they have no part in the simulation: {listed}"] if listed else []


_MOST_WARNINGS: Final = 20


def passed_over(objects: Objects) -> list[str]:
    """Notes on keys and fields that have no effect, of which twenty are written out."""
    return _first(objects.passed_over, "such keys and fields")


def warnings(applied: Applied) -> list[str]:
    """The warnings of the webhook, of which twenty are written out."""
    return _first(applied.warnings, "warnings")


def _first(lines: Sequence[str], what: str) -> list[str]:
    more = len(lines) - _MOST_WARNINGS
    shown = [*lines[:_MOST_WARNINGS]]
    return [*shown, f"and {more} more {what}"] if more > 0 else shown


def unsettled(report: Report) -> list[str]:
    """A note on a world that did not settle."""
    if report.settled:
        return []
    return [
        f"not settled after {settle.MOST_ROUNDS} cycles: the figures are those of the last cycle"
    ]


def _missing(world: World) -> list[str]:
    grows = [each for each in world.ledger.profiles.values() if each.capacity != NODES]
    notes = [
        f"tree {profile.quota_name} may grow (mode Elastic): the simulation lets nodes come for "
        "all that is admitted, up to max"
        for profile in sorted(grows, key=lambda each: each.key)
        if profile.capacity.elastic
    ]
    if world.quotas and not world.ledger.nodes and not grows:
        notes.append("there is no Node, so the trees have no room; add: kubectl get nodes -o yaml")
    notes += _overfull(world)
    strays = Webhook(world).strays(world.pods.values())
    if strays:
        holder = names.DEFAULT_QUOTA if world.policy.accounting.default_quota else "no quota"
        notes.append(f"pods of no team's quota, held by {holder}: {strays}")
    return notes


def _overfull(world: World) -> list[str]:
    """A note on nodes whose pods ask for more than they have: only files can say so."""
    held: dict[str, dict[str, int]] = defaultdict(dict)
    for pod in world.ledger.pods.values():
        if pod.node_name in world.ledger.nodes:
            totals.add(held[pod.node_name], pod.request)
    full = [
        f"{name} ({amount.shown(key, asked)} of {wording.amount(key, offered.get(key, 0))})"
        for name, requests in sorted(held.items())
        for offered in (world.ledger.nodes[name].allocatable,)
        for key, asked in sorted(requests.items())
        if asked > offered.get(key, 0)
    ]
    if not full:
        return []
    return [
        f"pods ask for more than their nodes have: {wording.some(full)}; kubelets would refuse some"
    ]
