"""Vertical Pod Autoscaler: its updater and its admission controller with its chart.

Its recommender needs usage metrics, which simulated nodes do not have: tests write recommendations.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import external_program
import external_release
from external_systems import recipes
from installation import Kubectl
from local_cluster import cluster as local
from local_cluster import ports
from scenes import Pool
from users import Document, User


NAMESPACE: Final = "vpa-system"
_CHART: Final = "charts/vertical-pod-autoscaler"
_INTERVAL: Final = "2s"
_COMMON: Final = ("--v=4", "--feature-gates=InPlace=true")
_UPDATER: Final = (
    f"--updater-interval={_INTERVAL}",
    "--in-place-skip-disruption-budget=true",  # as the chart says
    "--eviction-rate-limit=100",
)


@dataclass(frozen=True, slots=True)
class Autoscaler:
    """The logs of its programs."""

    folder: Path

    def log(self, program: str) -> str:
        """What the program has written, such as ``updater``."""
        return (self.folder / program / "log").read_text(errors="replace")


@contextmanager
def running(
    cluster: local.Cluster, kubectl: Kubectl, admin: User, folder: Path
) -> Iterator[Autoscaler]:
    """Both work inside the block; nothing of them is there afterwards."""
    programs = recipes.VERTICAL_POD_AUTOSCALER.programs(print)
    chart = recipes.VERTICAL_POD_AUTOSCALER.sources() / _CHART
    documents = external_release.rendered(cluster, chart, NAMESPACE)
    authority = external_program.serving(folder)
    with ExitStack() as stack:
        port = ports.number(stack.enter_context(ports.reserve()))
        reached = external_release.on_loopback(documents, port, authority)
        stack.enter_context(external_release.installed(kubectl, admin, NAMESPACE, reached))
        serves = (
            f"--port={port}",
            "--register-webhook=false",
            f"--client-ca-file={authority}",
            f"--tls-cert-file={folder}/tls.crt",
            f"--tls-private-key={folder}/tls.key",
        )
        for name, options in (("admission-controller", serves), ("updater", _UPDATER)):
            own = folder / name
            own.mkdir()
            stack.enter_context(_program(programs[name], admin, name, options, own))
        yield Autoscaler(folder)


@contextmanager
def _program(
    binary: Path, admin: User, name: str, options: Sequence[str], folder: Path
) -> Iterator[None]:
    account = external_program.as_account(
        admin, NAMESPACE, f"vertical-pod-autoscaler-{name}", folder
    )
    with ports.reserve() as probes:
        address = f"127.0.0.1:{ports.number(probes)}"
        command = [str(binary), f"--kubeconfig={account}", f"--address={address}"]
        ready = f"http://{address}/health-check"
        words = [*command, *_COMMON, *options]
        with external_program.running(words, folder / "log", ready, {"NAMESPACE": NAMESPACE}):
            yield


def scaler(pool: Pool, deployment: str, mode: str) -> Document:
    """One for the cpu of this Deployment; ``mode`` is ``InPlace`` or ``InPlaceOrRecreate``."""
    return {
        "apiVersion": "autoscaling.k8s.io/v1",
        "kind": "VerticalPodAutoscaler",
        "metadata": {"name": deployment, "namespace": pool.namespace},
        "spec": {
            "targetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": deployment},
            "updatePolicy": {"updateMode": mode, "minReplicas": 1},
            "resourcePolicy": {
                "containerPolicies": [
                    {
                        "containerName": "*",
                        "controlledResources": ["cpu"],
                        "controlledValues": "RequestsOnly",
                    }
                ]
            },
        },
    }


def recommend(pool: Pool, name: str, cpu: int) -> None:
    """Write what the recommender would: this much cpu, and no less."""
    amount = {"cpu": str(cpu)}
    recommendation = {
        "containerName": "main",
        "target": amount,
        "lowerBound": amount,
        "upperBound": amount,
        "uncappedTarget": amount,
    }
    status = {
        "recommendation": {"containerRecommendations": [recommendation]},
        "conditions": [
            {
                "type": "RecommendationProvided",
                "status": "True",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }
        ],
    }
    change = {"status": status}
    pool.admin.patch(
        "VerticalPodAutoscaler", name, pool.namespace, change=change, subresource="status"
    )
