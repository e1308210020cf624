"""Reads inputs from files: manifests as ``simulate`` reads them, at the moment that they show.

Objects from a cluster (they have a uid) keep their state. Objects written by hand count as just
created: they pass the webhook, and pods that fit are admitted, because otherwise all would wait.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from elasticquota.model.fault import Fault
from elasticquota.wire.kubernetes import pods
from elasticquota_cli.failures import failure
from elasticquota_cli.failures.failure import InputFault
from elasticquota_cli.simulate import apply, documents, manifests, settle
from elasticquota_cli.simulate.documents import Document
from elasticquota_cli.simulate.world import World
from elasticquota_cli.why.computed.moment import Inputs
from elasticquota_cli.why.parts import past_pod
from elasticquota_cli.why.parts.past_pod import Past
from elasticquota_config.model import Configuration


NAMESPACE: Final = "default"
"""The namespace of objects in files that state none."""


def read(files: Sequence[str], chosen: Configuration | None) -> Inputs:
    """Read the files; ``chosen`` takes precedence over their configuration. Raises `Failure`."""
    faults: list[InputFault] = []
    given = documents.read(files, faults)
    objects = manifests.read(given, faults, chosen)
    if objects.removals:
        problem = f"{manifests.DIRECTIVE} is for files of simulate --what-if"
        faults.append(InputFault(objects.removals[0].where, Fault("", problem)))
    failure.refuse(faults)
    chosen = chosen or objects.configuration or Configuration()
    world = World(chosen.policy(), chosen.validation())
    applied = apply.base(world, objects)
    settle.admit_new(world)
    refusals = [f"{each.source}: refused: {each.message}" for each in applied.refused]
    past = {past.pod.key: past for past in _past(given)}
    return Inputs(world.ledger, world.policy, past, (*applied.notes, *refusals), world.owners)


def _past(given: Sequence[Document]) -> Iterator[Past]:
    for document in given:
        if (document.api_version, document.kind) != ("v1", "Pod"):
            continue
        manifest = msgspec.convert(document.content, pods.PodManifest)
        manifest.metadata.namespace = manifest.metadata.namespace or NAMESPACE
        if manifest.finished and manifest.status is not None:
            yield past_pod.finished(pods.read(manifest), manifest.status.phase)
        elif manifest.metadata.deleting and not manifest.metadata.uid:
            why = "it is being deleted, and such pods written by hand count nowhere"
            yield Past(pods.read(manifest), why)
