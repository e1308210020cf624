"""A trial: applies objects to a new world and runs it until it settles."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from elasticquota import names
from elasticquota_cli.failure import Failure
from elasticquota_cli.simulate import apply, documents, manifests, outcome, settle
from elasticquota_cli.simulate.difference import Difference
from elasticquota_cli.simulate.manifests import Objects
from elasticquota_cli.simulate.outcome import Outcome
from elasticquota_cli.simulate.webhook import Webhook
from elasticquota_cli.simulate.world import World
from elasticquota_config import model
from elasticquota_config.model import Configuration, ConfigurationError


_BAD_INPUT: Final = 2


@dataclass(frozen=True, slots=True)
class Trial:
    """A settled world with its outcome."""

    world: World
    outcome: Outcome
    notes: list[str]
    """Notes for the user, one sentence each."""


def read(files: Sequence[str]) -> Objects:
    """Read the objects in files; raises `Failure` with a line for each fault."""
    faults: list[str] = []
    return sound(manifests.read(documents.read(files, faults), faults), faults)


def sound(objects: Objects, faults: Sequence[str]) -> Objects:
    """``objects`` without terminating pods; raises `Failure` if there are ``faults``."""
    if faults:
        raise Failure("\n".join(faults), _BAD_INPUT)
    # Terminating pods end at once here, as evicted pods do.
    objects.pods = [found for found in objects.pods if not found.pod.deleting]
    objects.jobs = [found for found in objects.jobs if not found.deleting]
    return objects


def of(objects: Objects, config: Path | None = None) -> Trial:
    """Run ``objects`` with the configuration in a file, or else the one among them."""
    if objects.removals:
        where = objects.removals[0].where
        text = f"{where}: {manifests.DIRECTIVE}: {manifests.DELETE} is for files of --what-if"
        raise Failure(text, _BAD_INPUT)
    chosen = _chosen(config, objects.configuration)
    # Evictions are not spread over time here and no pod ends, so no pod is overtaken forever.
    # Nor is there a wall clock by which a pod could lack a node for too long.
    policy = replace(
        chosen.policy().at_once(),
        head_of_line=0,
        accounting=replace(chosen.what_counts(), unschedulable_timeout=0),
    )
    world = World(policy, chosen.validation())
    applied = apply.base(world, objects)
    found = outcome.of(settle.settle(world), applied.refusals)
    return Trial(world, found, [*applied.notes, *skipped(objects), *_missing(world)])


def skipped(objects: Objects) -> list[str]:
    """A note on objects that have no part in a simulation."""
    if not objects.skipped:
        return []
    kinds = Counter(objects.skipped)
    listed = ", ".join(f"{kind} {api} ({kinds[kind, api]})" for kind, api in sorted(kinds))
    return [f"skipped, because they have no part in the simulation: {listed}"]


def restless(found: Outcome | Difference) -> list[str]:
    """A note on a world that did not settle."""
    if found.settled:
        return []
    return [f"not settled after {found.rounds} cycles: the figures are those of the last cycle"]


def _chosen(config: Path | None, in_force: Configuration | None) -> Configuration:
    try:
        return model.load(config) if config else in_force or Configuration()
    except ConfigurationError as error:
        raise Failure(str(error), _BAD_INPUT) from None


def _missing(world: World) -> list[str]:
    found = []
    if world.quotas and not world.nodes:
        found.append("there is no Node, so the trees have no room; add: kubectl get nodes -o yaml")
    strays = Webhook(world).strays(world.pods.values())
    if strays:
        holder = names.DEFAULT_QUOTA if world.policy.accounting.default_quota else "no quota"
        found.append(f"pods of no team's quota, held by {holder}: {strays}")
    return found
