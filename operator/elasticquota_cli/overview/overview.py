"""Reads quotas with their published statuses, and the pods that wait, as far as the user may.

A namespace is read alone, or all of them. In a cluster only pods without a node are listed, because
no other waits. Files are read as they are, without any decision: their statuses are what counts.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from elasticquota.forest import guarantee
from elasticquota.model.pod import Pod
from elasticquota.structs import Struct
from elasticquota.wire.kubernetes import pods
from elasticquota.wire.quota import quotas
from elasticquota_cli.failures import failure
from elasticquota_cli.failures.failure import InputFault
from elasticquota_cli.live import listing
from elasticquota_cli.simulate import documents
from elasticquota_cli.why.published import published_quota
from elasticquota_cli.why.published.published_quota import PublishedQuota
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.login import Login


_UNBOUND: Final = {"fieldSelector": "spec.nodeName="}
"""A pod at a gate has no node, so this selects all of them."""


class Overview(Struct, frozen=True):
    """What was read."""

    quotas: Sequence[PublishedQuota]
    pods: Sequence[Pod] | None
    """The pods that wait; None: they may not be read."""
    now: int | None
    """Epoch milliseconds; None: of files, whose moment is not known."""
    notes: Sequence[str]
    namespace: str = ""
    """The only namespace that was read; empty: all."""

    def quota_of(self) -> Callable[[Pod], str]:
        """Finds the name of the quota of a waiting pod; empty: none that was read, by its rules."""
        youngest_first = sorted(
            (each.quota for each in self.quotas), key=guarantee.judged_after, reverse=True
        )
        bound = {namespace: quota.name for quota in youngest_first for namespace in quota.bound}
        return lambda pod: pod.quota_label or bound.get(pod.key.namespace, "")


class OverviewScope(Struct, frozen=True):
    """What to read; files take precedence over a cluster."""

    login: Login
    all_namespaces: bool = False
    files: Sequence[str] = ()
    with_pods: bool = False


def read(asked: OverviewScope) -> Overview:
    """Read; raises `Failure`."""
    if asked.files:
        return _of_files(asked)
    cluster = listing.Cluster(asked.login)
    namespace = None if asked.all_namespaces else cluster.namespace
    return cluster.read(lambda api: _of_cluster(api, namespace, with_pods=asked.with_pods))


async def _of_cluster(api: Api, namespace: str | None, *, with_pods: bool) -> Overview:
    notes: list[str] = []
    stored = await listing.quotas(api, namespace, msgspec.Raw)
    contents = listing.documents(stored, quotas.QuotaManifest, paths.QUOTAS.plural, notes)
    waiting: list[Pod] | None = None
    if with_pods:
        raws = await listing.listed(api, paths.PODS, namespace, into=msgspec.Raw, params=_UNBOUND)
        if raws is None:
            notes.append("you may not list pods: what waits is known only as far as statuses say")
        else:
            decoded = listing.understood(raws, pods.PodManifest, paths.PODS.plural, notes)
            waiting = list(_waiting(decoded))
    now = int(time.time() * 1000)
    understood = filter(None, map(published_quota.read, contents))
    return Overview(list(understood), waiting, now, notes, namespace or "")


def _of_files(asked: OverviewScope) -> Overview:
    faults: list[InputFault] = []
    documents.check_input(asked.files)
    given = documents.read(asked.files, faults)
    stored, manifests = [], []
    namespace = "" if asked.all_namespaces else asked.login.namespace
    for each in given:
        kind = (each.api_version, each.kind)
        try:
            if kind == (paths.QUOTAS.api_version, "ElasticQuota"):
                msgspec.convert(each.content, quotas.QuotaManifest)
                stored.append(each.content)
            elif kind == ("v1", "Pod"):
                manifests.append(msgspec.convert(each.content, pods.PodManifest))
        except msgspec.ValidationError:
            faults.append(each.fault("is not understood"))
    failure.refuse(faults)
    understood = filter(None, map(published_quota.read, stored))
    waiting = _waiting(manifests)
    return Overview(
        [each for each in understood if namespace in ("", each.quota.key.namespace)],
        [pod for pod in waiting if namespace in ("", pod.key.namespace)],
        None,
        (),
        namespace or "",
    )


def _waiting(manifests: Iterable[pods.PodManifest]) -> Iterable[Pod]:
    found = (pods.read(each) for each in manifests if not each.finished)
    return (pod for pod in found if pod.gated and not pod.deleting)
