"""Watches pods, nodes and namespaces: the kinds of high rate, by reflectors of our own."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from elasticquota.devices.tracker import DeviceTracker
from elasticquota.wire.kubernetes import namespaces, pods
from elasticquota_kube.client import paths
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.informer.reflector import Reflector, Sink
from elasticquota_kube.informer.store import FanOut
from elasticquota_operator.context.controller_context import ControllerContext
from elasticquota_operator.informers import ledger_handlers


UNFINISHED: Final = "status.phase!=Succeeded,status.phase!=Failed"
"""Field selector: other pods count nowhere."""


def reflectors(
    context: ControllerContext,
    *,
    job_labels: Sequence[str],
    groups: pods.GroupReader,
    devices: DeviceTracker | None,
    to_pods: Iterable[Sink[pods.PodManifest]],
    to_namespaces: Iterable[Sink[namespaces.NamespaceManifest]],
) -> tuple[Reflector[Any], ...]:
    """They fill the ledger (``ledger_handlers``); ``to_pods``, ``to_namespaces`` see all, too."""
    ledger, touch = context.ledger, context.touch
    of_pods = ledger_handlers.of_pods(ledger, touch, job_labels, groups, devices)
    of_nodes = ledger_handlers.of_nodes(ledger, touch, devices)
    of_namespaces = ledger_handlers.of_namespaces(ledger, touch)

    def reflector(
        resource: Resource, kind: type[Any], sink: Sink[Any], selector: str = ""
    ) -> Reflector[Any]:
        return Reflector(
            context.api,
            resource,
            kind,
            sink,
            field_selector=selector,
            on_restart=context.telemetry.watch_restarted,
            on_poison=context.telemetry.unreadable,
        )

    return (
        reflector(paths.PODS, of_pods.kind, FanOut(of_pods, *to_pods), UNFINISHED),
        reflector(paths.NODES, of_nodes.kind, of_nodes),
        reflector(paths.NAMESPACES, of_namespaces.kind, FanOut(of_namespaces, *to_namespaces)),
    )
