"""``simulate``: reads the files, lets the world come to rest, applies the change, prints.

Results go to standard output and nothing else does; notes and faults go to standard error. Exit
codes: 0 done, 1 with ``--strict`` when something is refused, waits, is evicted or does not come to
rest (with ``--what-if``: because of the change), 2 bad input.
"""

import gc
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from elasticquota import names
from elasticquota_cli.failure import Failure
from elasticquota_cli.simulate import (
    apply,
    course,
    difference,
    documents,
    manifests,
    outcome,
    show_report,
    show_table,
)
from elasticquota_cli.simulate.difference import Difference
from elasticquota_cli.simulate.door import Door
from elasticquota_cli.simulate.manifests import Objects
from elasticquota_cli.simulate.outcome import Outcome
from elasticquota_cli.simulate.world import World
from elasticquota_kube import configuration
from elasticquota_kube.configuration import Configuration, ConfigurationError


_BAD_INPUT: Final = 2
_NOT_SMOOTH: Final = 1

Format = Literal["table", "json", "yaml"]


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for."""

    files: Sequence[str]
    what_if: Sequence[str] = ()
    output: Format = "table"
    strict: bool = False
    config: Path | None = None


def run(request: Request) -> int:
    """Carry out the verb; returns the exit code, raises `Failure`."""
    # Looking for cycles among a million values takes a third of the time, and finds none.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _run(request)
    finally:
        if collecting:
            gc.enable()


def _run(request: Request) -> int:
    if [*request.files, *request.what_if].count(documents.STANDARD_INPUT) > 1:
        raise Failure("standard input (-) can be read only once", _BAD_INPUT)
    base, change = _read(request.files), _read(request.what_if)
    if base.removals:
        where = base.removals[0].where
        text = f"{where}: {manifests.DIRECTIVE}: {manifests.DELETE} is for files of --what-if"
        raise Failure(text, _BAD_INPUT)
    for objects in (base, change):
        # Whoever is on the way out ends at once here, as those do who are evicted.
        objects.pods = [found for found in objects.pods if not found.pod.deleting]
    chosen = _chosen(request.config, base.configuration)
    # Evictions are not spread over time here, and no pod ends, so nobody is passed for ever.
    # Nor is there a wall clock by which a pod could be without a node for too long.
    policy = replace(
        chosen.policy().at_once(),
        head_of_line=0,
        accounting=replace(chosen.what_counts(), unschedulable_timeout=0),
    )
    world = World(policy, chosen.validation())
    applied = apply.base(world, base)
    found: Outcome | Difference = outcome.of(course.settle(world), applied.refusals)
    notes = [*applied.notes, *_skipped(base), *_missing(world)]
    if request.what_if and isinstance(found, Outcome):
        applied = apply.change(world, change)
        after = outcome.of(course.settle(world), applied.refusals)
        found = difference.between(found, after, world.pods.keys())
        notes = [*notes, *applied.notes, *_skipped(change)]
    notes += _restless(found)
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    _show(found, notes, request.output)
    return _NOT_SMOOTH if request.strict and not found.is_smooth else 0


def _read(files: Sequence[str]) -> Objects:
    faults: list[str] = []
    objects = manifests.read(documents.read(files, faults), faults)
    if faults:
        raise Failure("\n".join(faults), _BAD_INPUT)
    return objects


def _chosen(config: Path | None, in_force: Configuration | None) -> Configuration:
    try:
        return configuration.load(config) if config else in_force or Configuration()
    except ConfigurationError as error:
        raise Failure(str(error), _BAD_INPUT) from None


def _show(found: Outcome | Difference, notes: list[str], output: Format) -> None:
    if output == "table":
        if isinstance(found, Outcome):
            show_table.show_outcome(found)
        else:
            show_table.show_difference(found)
        return
    whole = (
        show_report.of_outcome(found, notes)
        if isinstance(found, Outcome)
        else show_report.of_difference(found, notes)
    )
    print(show_report.as_json(whole) if output == "json" else show_report.as_yaml(whole))


def _skipped(objects: Objects) -> list[str]:
    if not objects.skipped:
        return []
    kinds = Counter(objects.skipped)
    listed = ", ".join(f"{kind} {api} ({kinds[kind, api]})" for kind, api in sorted(kinds))
    return [f"skipped, because they have no part in the simulation: {listed}"]


def _missing(world: World) -> list[str]:
    found = []
    if world.quotas and not world.nodes:
        found.append("there is no Node, so the trees have no room; add: kubectl get nodes -o yaml")
    strays = Door(world).strays(world.pods.values())
    if strays:
        holder = names.DEFAULT_QUOTA if world.policy.accounting.default_quota else "nobody"
        found.append(f"pods of no team's quota, held by {holder}: {strays}")
    return found


def _restless(found: Outcome | Difference) -> list[str]:
    if found.settled:
        return []
    return [f"no rest after {found.rounds} rounds: the figures are those of the last round"]
