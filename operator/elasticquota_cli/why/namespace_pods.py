"""The pods of one namespace and what is known of them; ``decided`` makes one of files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from elasticquota.model.key import Key
from elasticquota.model.owner import Owner as Controller
from elasticquota.model.pod import Pod
from elasticquota.model.wait_estimate import WaitEstimate
from elasticquota.structs import Struct
from elasticquota.wire.codec import fields
from elasticquota.wire.kubernetes import pods
from elasticquota.wire.quota import wait_estimates
from elasticquota_cli.explain import message_text, published, report
from elasticquota_cli.explain.tenant_view import TenantView
from elasticquota_cli.failure import Failure
from elasticquota_cli.simulate import submitted
from elasticquota_cli.simulate.submitted import Owner


class Seen(NamedTuple):
    """A pod that counts, and its workload."""

    pod: Pod
    owner: Owner | None
    place: int
    """Position in its queue, from 1; 0: it is in none, or the position is not known."""
    controller: Controller | None = None
    """As its reference says; None: none, or it is of a file."""
    above: Sequence[Controller] = ()
    """The owners above its controller, as far as they were looked for."""

    def belongs_to(self, kind: str, name: str) -> Iterator[str]:
        """The kinds of its owners of this name; ``kind`` in small letters, or empty for any."""
        owners = (self.owner, self.controller, *self.above)
        for each in owners:
            if each and each.name == name and kind in ("", each.kind.lower()):
                yield each.kind


class NamespacePods(Struct, frozen=True):
    """What is known."""

    pods: Sequence[Seen]
    explain: Callable[[Key], report.PodExplanation]
    estimates: Mapping[str, WaitEstimate]
    """By quota name, of those that publish one."""


def of_cluster(view: TenantView, namespace: str, *, sums: bool) -> NamespacePods:
    """The pods of a cluster; raises `Failure` if they may not be read.

    Where their ``sums`` are shown, a quota above that may not be read is noted for any reason.
    """
    if view.pods is None:
        raise Failure(f"you may not list the pods of namespace {namespace}")
    seen = [_seen(each) for each in view.pods if not each.finished]
    return NamespacePods(
        seen, lambda key: published.pod(view, key, sums=sums), estimates(view.quotas)
    )


def _seen(manifest: pods.PodManifest) -> Seen:
    pod = pods.read(manifest)
    line = message_text.line(pod.waiting_message)
    meta = manifest.metadata
    owner = submitted.owner_of(meta)
    return Seen(pod, owner, line.place if line else 0, meta.controller)


def estimates(quotas: Sequence[Mapping[str, Any]]) -> dict[str, WaitEstimate]:
    """The wait estimates in the statuses of stored quotas, by the name of the quota."""
    found: dict[str, WaitEstimate] = {}
    for each in quotas:
        status = fields.mapping(each.get("status"), "status", [])
        estimate = wait_estimates.read_estimate(status)
        name = fields.mapping(each.get("metadata"), "metadata", []).get("name")
        if estimate is not None and isinstance(name, str):
            found[name] = estimate
    return found
