"""What the controller has published, as far as the user may read it."""

from typing import Final

from elasticquota.structs import replace
from elasticquota.wire.kubernetes import pods
from elasticquota_cli.live.tenant_view import TenantView
from elasticquota_cli.simulate import submitted
from elasticquota_cli.why.parts import known, message_text
from elasticquota_cli.why.parts.known import Explained, Known, Seen
from elasticquota_cli.why.published import statuses, units
from elasticquota_kube.client.api import Api


_NOTHING: Final[tuple[str, ...]] = ()


def of(view: TenantView, *, sums: bool) -> Known:
    """What is known of the pods of the namespace that was read, and of the quotas.

    ``sums``: those of each level are shown, so a quota above that may not be read is noted.
    """
    return Known(
        basis="published",
        pods=[_seen(each) for each in view.pods or () if not each.finished],
        explain=lambda key: statuses.pod(view, key, sums=sums),
        quota=lambda key: statuses.quota(view, key),
        past=[each.metadata.key for each in view.pods or () if each.finished],
        estimates=known.estimates(view.quotas),
        is_live=True,
    )


async def with_units(api: Api, found: Known, namespace: str) -> Known:
    """With the jobs that wait as a whole, by their QueueUnits."""
    queued = await units.waiting(api, namespace)
    if not queued:
        return found
    by_place = {each.place: answer for each, answer in queued.items()}
    return replace(
        found,
        jobs=list(queued),
        explain=lambda key: (
            Explained(by_place[key], _NOTHING) if key in by_place else found.explain(key)
        ),
    )


def _seen(manifest: pods.PodManifest) -> Seen:
    pod = pods.read(manifest)
    line = message_text.read(pod.waiting_message).line
    meta = manifest.metadata
    return Seen(pod, submitted.owner_of(meta), line.place if line else 0, meta.controller)
