"""A trial: objects in a world of their own, until it is at rest."""

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
    world: World
    outcome: Outcome
    notes: list[str]
    """What to tell besides, one sentence each."""


def read(files: Sequence[str]) -> Objects:
    """The objects in files; raises `Failure` with a line for each fault."""
    faults: list[str] = []
    return sound(manifests.read(documents.read(files, faults), faults), faults)


def sound(objects: Objects, faults: Sequence[str]) -> Objects:
    """``objects`` if they could be read without faults; raises `Failure`."""
    if faults:
        raise Failure("\n".join(faults), _BAD_INPUT)
    # Whoever is on the way out ends at once here, as those do who are evicted.
    objects.pods = [found for found in objects.pods if not found.pod.deleting]
    return objects


def of(objects: Objects, config: Path | None = None) -> Trial:
    """What becomes of ``objects`` under the configuration in a file, or else among them."""
    if objects.removals:
        where = objects.removals[0].where
        text = f"{where}: {manifests.DIRECTIVE}: {manifests.DELETE} is for files of --what-if"
        raise Failure(text, _BAD_INPUT)
    chosen = _chosen(config, objects.configuration)
    # Evictions are not spread over time here, and no pod ends, so nobody is passed for ever.
    # Nor is there a wall clock by which a pod could be without a node for too long.
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
    """A note on what has no part in a simulation."""
    if not objects.skipped:
        return []
    kinds = Counter(objects.skipped)
    listed = ", ".join(f"{kind} {api} ({kinds[kind, api]})" for kind, api in sorted(kinds))
    return [f"skipped, because they have no part in the simulation: {listed}"]


def restless(found: Outcome | Difference) -> list[str]:
    """A note on a world that found no rest."""
    if found.settled:
        return []
    return [f"no rest after {found.rounds} rounds: the figures are those of the last round"]


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
        holder = names.DEFAULT_QUOTA if world.policy.accounting.default_quota else "nobody"
        found.append(f"pods of no team's quota, held by {holder}: {strays}")
    return found
