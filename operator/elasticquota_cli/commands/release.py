"""``release --all``: remove our scheduling gate, and no other, from every pod that waits at it.

It is the last step after an uninstall, when no controller admits pods any more; it needs neither
controller nor webhook. A controller that still runs counts the released pods as admitted, and
evicts what exceeds the quotas as usual. While the policies of the chart exist, only the controller
and break-glass groups may remove the gate: uninstall first. An API server still applies them for
some moments after that; this command waits for it.

A pod keeps to the nodes of its tree, as if the controller had released it: what its node affinity
lacks of the tree's selector is added with the release, where the user may read quotas and profiles.

A patch tests the pod's uid and that our gate is where we read it, so that it never removes the gate
of another controller. Pods that are being deleted are left alone. Suspended jobs stay suspended.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from elasticquota import names
from elasticquota.forest.wording import counted
from elasticquota.model import reason_code
from elasticquota.structs import Struct, field
from elasticquota.wire.admission import patch
from elasticquota.wire.admission.review import Operation
from elasticquota.wire.kubernetes.pods import PodManifest
from elasticquota_cli.commands import tree_nodes
from elasticquota_cli.commands.tree_nodes import ListedTreeNodes
from elasticquota_cli.failures import refusal
from elasticquota_cli.failures.failure import Failure, note
from elasticquota_cli.live.listing import Cluster
from elasticquota_cli.printers import output, table
from elasticquota_cli.printers.output import Form
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.login import Login
from elasticquota_kube.client.paths import PODS
from elasticquota_kube.client.rest.errors import ApiError


_AT_ONCE: Final = 16
"""Largest number of patches under way at one time."""
_TRIES: Final = 5
"""Tries for a pod that changes meanwhile, or when no answer comes."""
_POLICY: Final = "PD1303"
"""The rule by which a policy protects the gate."""
FORGOTTEN: Final = 10.0
"""Seconds within which an API server stops applying an uninstalled policy, usually one or two."""
_PAUSE: Final = 0.5
"""Seconds between two tries while it still applies it."""
_UNBOUND: Final = {"fieldSelector": "spec.nodeName="}
"""A pod at a gate has no node, so this selects all of them."""


class ReleaseOptions(Struct, frozen=True):
    """The command line's request; an empty namespace means all of them."""

    namespace: str = ""
    dry_run: bool = False
    output: Form = "table"
    login: Login = field(default_factory=Login)


class _Waiting(Struct, frozen=True):
    """A pod with our gate, which is one of its `gates` gates."""

    namespace: str
    name: str
    uid: str
    gates: int
    change: Sequence[Operation]
    """The patch that releases it."""


class _Pods(msgspec.Struct):
    """Pods of one namespace."""

    namespace: str
    pods: list[str]


class _Release(msgspec.Struct, rename="camel", tag_field="kind", tag="Release"):
    """The report for programs, ``release.elasticquota.dev/v1``: fields are only ever added."""

    api_version: Literal["release.elasticquota.dev/v1"]
    dry_run: bool
    released: list[_Pods]
    """Of a dry run: what would be released."""
    held_by_others: int
    """Released pods that wait at other gates, too."""
    refused: dict[str, str]
    """By namespace, why a pod there was not released."""


class _Outcome(Struct):
    names: dict[str, list[str]] = field(default_factory=dict)
    """Released pods by namespace."""
    held: int = 0
    """Number of released pods that have other gates."""
    refused: dict[str, ApiError] = field(default_factory=dict)
    """By namespace, why the first pod there was not released."""
    left: Counter[str] = field(default_factory=Counter)
    """Pods that were not released, by namespace."""
    nodes_unread: str = ""
    """Why the nodes of the trees are not known."""

    def add(self, pod: _Waiting) -> None:
        self.names.setdefault(pod.namespace, []).append(pod.name)
        self.held += pod.gates > 1

    @property
    def released(self) -> Counter[str]:
        """Numbers of pods by namespace."""
        return Counter({namespace: len(names) for namespace, names in self.names.items()})

    def report(self, *, dry_run: bool) -> _Release:
        released = [_Pods(each, sorted(self.names[each])) for each in sorted(self.names)]
        version: Final = "release.elasticquota.dev/v1"
        refused = {namespace: refusal.of(each) for namespace, each in self.refused.items()}
        return _Release(version, dry_run, released, self.held, refused)

    def refuse(self, pod: _Waiting, error: ApiError) -> None:
        self.left[pod.namespace] += 1
        self.refused.setdefault(pod.namespace, error)


def run(request: ReleaseOptions) -> None:
    """Release, and print how many pods of which namespaces; raises `Failure` if some are left."""
    outcome = Cluster(request.login).run(lambda api: _release(api, request))
    if outcome.nodes_unread:
        note([f"released pods may start on nodes of other trees: {outcome.nodes_unread}"])
    report = outcome.report(dry_run=request.dry_run)
    output.write(
        report,
        request.output,
        lambda: _show(outcome, request.dry_run),
        (output.name_of(PODS, name) for each in report.released for name in each.pods),
    )
    if outcome.refused:
        raise Failure("\n".join(_refusals(outcome)))


async def _release(api: Api, request: ReleaseOptions) -> _Outcome:
    nodes = await tree_nodes.read(api)
    outcome = _Outcome(nodes_unread=nodes.unread)
    queue = iter(await _waiting(api, request.namespace, nodes))
    until = asyncio.get_running_loop().time() + FORGOTTEN
    if request.dry_run:
        for pod in queue:
            outcome.add(pod)
        return outcome

    async def work() -> None:
        for pod in queue:
            await _open(api, pod, nodes, until, outcome)

    await asyncio.gather(*(work() for _ in range(_AT_ONCE)))
    return outcome


async def _waiting(api: Api, namespace: str, nodes: ListedTreeNodes) -> list[_Waiting]:
    """Read the waiting pods page by page; keeps nothing of other pods."""
    waiting: list[_Waiting] = []
    try:
        async for page in api.pages(PODS, namespace or None, params=_UNBOUND):
            for raw in page.items or ():
                pod = _understood(msgspec.json.decode(raw, type=PodManifest), nodes)
                if pod is not None:
                    waiting.append(pod)
    except ApiError as error:
        where = f"in namespace '{namespace}'" if namespace else "in all namespaces"
        if error.is_forbidden:
            text = (
                f"you may not list pods {where}: {error.message}. It takes the verbs list, get and "
                "patch on pods"
            )
            raise Failure(text if namespace else f"{text}; with --namespace in one only") from None
        raise Failure(
            f"cannot list the pods {where}; nothing was released: {refusal.of(error)}"
        ) from None
    return waiting


def _understood(pod: PodManifest, nodes: ListedTreeNodes) -> _Waiting | None:
    """The pod if it waits at our gate and is not being deleted, else None."""
    gates = [gate.name for gate in (pod.spec and pod.spec.scheduling_gates) or ()]
    if names.GATE not in gates or pod.metadata.deleting:
        return None
    meta, place = pod.metadata, gates.index(names.GATE)
    lacking = nodes.lacking(pod)
    still = patch.still_read(meta.resource_version) if lacking else ()
    change = patch.opening(meta.uid, place, still=still, first=lacking)
    return _Waiting(meta.namespace, meta.name, meta.uid, len(gates), change)


async def _open(
    api: Api, pod: _Waiting, nodes: ListedTreeNodes, until: float, outcome: _Outcome
) -> None:
    """Release one pod. If it has changed it is read again; if it is gone there is nothing to do.

    While the policy refuses, it is tried again up to ``until``, by the clock of the loop.
    """
    refused: ApiError | None = None
    now = pod
    for _ in range(_TRIES):
        try:
            await _patch(api, now, until)
        except ApiError as error:
            refused = error
            if error.is_not_found:
                return
            if not (error.is_invalid or error.is_conflict or error.is_transient):
                break
        else:
            outcome.add(now)
            return
        try:
            manifest = await api.get(PODS, pod.namespace, pod.name, into=PodManifest)
        except ApiError as unread:
            if unread.is_not_found:
                return
            refused = unread
            continue
        read = _understood(manifest, nodes)
        if read is None or read.uid != pod.uid:
            return
        now = read
    if refused is not None:
        outcome.refuse(pod, refused)


async def _patch(api: Api, pod: _Waiting, until: float) -> None:
    while True:
        try:
            await api.patch(PODS, pod.namespace, pod.name, pod.change, kind="json")
        except ApiError as error:
            if _rule(error) != _POLICY or asyncio.get_running_loop().time() > until:
                raise
        else:
            return
        await asyncio.sleep(_PAUSE)


def _rule(error: ApiError) -> str:
    """Our rule that the error is about: the code at its end, which is a part of the API.

    A refusal by a policy has a code of its own in no other field.
    """
    return reason_code.at_end(error.message)


def _show(outcome: _Outcome, dry_run: bool) -> None:
    total = outcome.released.total()
    where = len(outcome.released)
    if where:
        lines = [
            table.Line((namespace, str(outcome.released[namespace])))
            for namespace in sorted(outcome.released)
        ]
        table.show(("NAMESPACE", "PODS"), lines)
    verb = "Would release" if dry_run else "Released"
    print(f"{verb} {counted(total, 'pod')} in {counted(where, 'namespace')}.")
    if outcome.held:
        print(f"{counted(outcome.held, 'pod')} of these also wait at gates of others, which stay.")


def _refusals(outcome: _Outcome) -> Sequence[str]:
    lines = [
        f"{counted(outcome.left[namespace], 'pod')} of namespace '{namespace}' not released: "
        f"{refusal.of(outcome.refused[namespace])}"
        for namespace in sorted(outcome.refused)
    ]
    if any(_rule(each) == _POLICY for each in outcome.refused.values()):
        lines.append(
            "The policies of the chart keep the gate for the controller: uninstall the chart first "
            "(or be in one of policy.breakGlassGroups), then run this again."
        )
    return lines
