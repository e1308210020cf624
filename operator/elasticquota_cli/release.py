"""``release --all``: remove our scheduling gate, and no other, from every pod that waits at it.

It is the last step after an uninstall, when no controller admits pods any more; it needs neither
controller nor webhook. A controller that still runs counts the released pods as admitted, and
evicts what exceeds the quotas as usual. While the policies of the chart exist, only the controller
and break-glass groups may remove the gate: uninstall first. An API server still applies them for
some moments after that; this command waits for it.

A patch tests the pod's uid and that our gate is where we read it, so that it never removes the gate
of another controller. Pods that are being deleted are left alone. Suspended jobs stay suspended.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from elasticquota import names
from elasticquota.structs import Struct, field
from elasticquota.wire.codec import patch
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota_cli import listing, refusal
from elasticquota_cli.failure import Failure
from elasticquota_cli.printers import output, table
from elasticquota_cli.printers.output import Form
from elasticquota_cli.printers.wording import counted
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.errors import ApiError
from elasticquota_kube.client.login import Login
from elasticquota_kube.client.paths import PODS


_AT_ONCE: Final = 16
"""Largest number of patches under way at one time."""
_TRIES: Final = 5
"""Tries for a pod that changes meanwhile, or when no answer comes."""
_POLICY: Final = "[PD1303]"
"""The end of every refusal by the policy that protects the gate."""
FORGOTTEN: Final = 10.0
"""Seconds within which an API server stops applying an uninstalled policy, usually one or two."""
_PAUSE: Final = 0.5
"""Seconds between two tries while it still applies it."""
_UNBOUND: Final = {"fieldSelector": "spec.nodeName="}
"""A pod at a gate has no node, so this selects all of them."""


class Request(Struct, frozen=True):
    """The command line's request; an empty namespace means all of them."""

    namespace: str = ""
    dry_run: bool = False
    output: Form = "table"
    login: Login = field(default_factory=Login)


class _Gate(msgspec.Struct, gc=False):
    name: str = ""


class _Spec(msgspec.Struct, rename="camel", gc=False):
    scheduling_gates: list[_Gate] | None = None


class _Pod(msgspec.Struct, gc=False):
    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: _Spec = msgspec.field(default_factory=_Spec)


class _Waiting(Struct, frozen=True):
    """A pod with our gate, at index `place` of its `gates` gates."""

    namespace: str
    name: str
    uid: str
    place: int
    gates: int


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
    refused: dict[str, str] = field(default_factory=dict)
    """By namespace, why the first pod there was not released."""
    left: Counter[str] = field(default_factory=Counter)
    """Pods that were not released, by namespace."""

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
        return _Release(version, dry_run, released, self.held, self.refused)

    def refuse(self, pod: _Waiting, why: str) -> None:
        self.left[pod.namespace] += 1
        self.refused.setdefault(pod.namespace, why)


def run(request: Request) -> None:
    """Release, and print how many pods of which namespaces; raises `Failure` if some are left."""
    outcome = listing.connected(lambda api: _release(api, request), request.login)
    report = outcome.report(dry_run=request.dry_run)
    output.write(
        report,
        request.output,
        lambda: _show(outcome, request.dry_run),
        (output.name_of(PODS, name) for each in report.released for name in each.pods),
    )
    if outcome.refused:
        raise Failure("\n".join(_refusals(outcome)))


async def _release(api: Api, request: Request) -> _Outcome:
    outcome = _Outcome()
    queue = iter(await _waiting(api, request.namespace))
    until = asyncio.get_running_loop().time() + FORGOTTEN
    if request.dry_run:
        for pod in queue:
            outcome.add(pod)
        return outcome

    async def work() -> None:
        for pod in queue:
            await _open(api, pod, until, outcome)

    await asyncio.gather(*(work() for _ in range(_AT_ONCE)))
    return outcome


async def _waiting(api: Api, namespace: str) -> list[_Waiting]:
    """Read the waiting pods page by page; keeps nothing of other pods."""
    found: list[_Waiting] = []
    try:
        async for page in api.pages(PODS, namespace or None, params=_UNBOUND):
            read = (_understood(msgspec.json.decode(raw, type=_Pod)) for raw in page.items or ())
            found.extend(pod for pod in read if pod is not None)
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
    return found


def _understood(pod: _Pod) -> _Waiting | None:
    """The pod if it waits at our gate and is not being deleted, else None."""
    gates = [gate.name for gate in pod.spec.scheduling_gates or ()]
    if names.GATE not in gates or pod.metadata.deleting:
        return None
    meta = pod.metadata
    return _Waiting(meta.namespace, meta.name, meta.uid, gates.index(names.GATE), len(gates))


async def _open(api: Api, pod: _Waiting, until: float, outcome: _Outcome) -> None:
    """Release one pod. If it has changed it is read again; if it is gone there is nothing to do.

    While the policy refuses, it is tried again up to ``until``, by the clock of the loop.
    """
    why = ""
    now = pod
    for _ in range(_TRIES):
        try:
            await _patch(api, now, until)
        except ApiError as error:
            why = refusal.of(error)
            if error.is_not_found:
                return
            if not (error.is_invalid or error.is_conflict or error.is_transient):
                break
        else:
            outcome.add(now)
            return
        try:
            read = _understood(await api.get(PODS, pod.namespace, pod.name, into=_Pod))
        except ApiError as unread:
            if unread.is_not_found:
                return
            why = refusal.of(unread)
            continue
        if read is None or read.uid != pod.uid:
            return
        now = read
    outcome.refuse(pod, why)


async def _patch(api: Api, pod: _Waiting, until: float) -> None:
    change = patch.opening(pod.uid, pod.place, still=())
    while True:
        try:
            await api.patch(PODS, pod.namespace, pod.name, change, kind="json")
        except ApiError as error:
            if _POLICY not in str(error) or asyncio.get_running_loop().time() > until:
                raise
        else:
            return
        await asyncio.sleep(_PAUSE)


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
        f"{outcome.refused[namespace]}"
        for namespace in sorted(outcome.refused)
    ]
    if any(_POLICY in why for why in outcome.refused.values()):
        lines.append(
            "The policies of the chart keep the gate for the controller: uninstall the chart first "
            "(or be in one of policy.breakGlassGroups), then run this again."
        )
    return lines
