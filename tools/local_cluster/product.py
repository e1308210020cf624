"""Installs the product from its own chart, as every user does.

Only the values differ: both Deployments run on the process node, and the webhook's Service leads to
the loopback port where that node listens. When something does not become ready, the error has
helm's output, the states of the pods, and the end of their logs.
"""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from local_cluster import build
from local_cluster.cluster import Cluster


RELEASE = "elastic-quota"
NAMESPACE = "elastic-quota-system"
CHART = build.TOOLS.parent / "charts" / "elastic-quota-operator"

VALUES_FILE = "values.json"
WAIT_SECONDS = 90
_KUBECTL_SECONDS = 20
_LINES_OF_A_LOG = 15
_CONTAINERS = ".status.containerStatuses[*]"
_COLUMNS = {
    "POD": ".metadata.name",
    "READY": f"{_CONTAINERS}.ready",
    "WAITS": f"{_CONTAINERS}.state.waiting.reason",
    "WHY": f"{_CONTAINERS}.state.waiting.message",
    "EXIT": f"{_CONTAINERS}.lastState.terminated.exitCode",
    "SCHEDULING": '.status.conditions[?(@.type=="PodScheduled")].message',
}
_NODE_MARK = "elasticquota.dev/process-node"

Values = Mapping[str, Any]


class ProductError(Exception):
    """The product is not as expected; the text has helm's output, pod statuses and logs."""


def install(
    cluster: Cluster, values: Values | None = None, *, taking_ownership: bool = False
) -> None:
    """`helm install --wait`; ``values`` come on top of those that the local cluster needs.

    ``taking_ownership``: of objects that were installed without Helm. Raises ``ProductError``.
    """
    _helm(cluster, ["install", *_arguments(cluster, values, CHART), *_flags(taking_ownership)])


def upgrade(
    cluster: Cluster,
    values: Values | None = None,
    chart: Path = CHART,
    *,
    taking_ownership: bool = False,
) -> None:
    """`helm upgrade --wait` with these values, not those of before. Raises ``ProductError``."""
    _helm(cluster, ["upgrade", *_arguments(cluster, values, chart), *_flags(taking_ownership)])


def revision(cluster: Cluster) -> int:
    """The current revision of the release; every upgrade and rollback adds one."""
    told = json.loads(_helm(cluster, ["status", RELEASE, "-n", NAMESPACE, "-o", "json"]))
    return int(told["version"])


def rollback(cluster: Cluster, to: int) -> None:
    """`helm rollback --wait` to that revision. Raises ``ProductError``."""
    wait = ["--wait", "--timeout", f"{WAIT_SECONDS}s"]
    _helm(cluster, ["rollback", RELEASE, str(to), "-n", NAMESPACE, *wait])


def uninstall(cluster: Cluster) -> None:
    """`helm uninstall --wait`. Raises ``ProductError``."""
    _helm(cluster, ["uninstall", RELEASE, "-n", NAMESPACE, "--wait"])


def command() -> str:
    """The command that a person would type to install it."""
    place = CHART.relative_to(CHART.parents[1])  # as seen from the repository
    return f"helm install {RELEASE} {place} -n {NAMESPACE} --create-namespace --wait"


def values_for(service_port: int, values: Values | None = None) -> dict[str, Any]:
    """The chart's values on the process node, overlaid by ``values``."""
    placement = {
        "nodeSelector": {_NODE_MARK: "true"},
        "tolerations": [{"key": _NODE_MARK, "operator": "Exists", "effect": "NoSchedule"}],
    }
    service = {"type": "ExternalName", "externalName": "localhost", "port": service_port}
    local = {"controller": placement, "webhook": {**placement, "service": service}}
    return overlaid(local, values or {})


def overlaid(base: Values, top: Values) -> dict[str, Any]:
    """``base`` with ``top`` on it: maps are merged, everything else is replaced."""
    result = dict(base)
    for key, value in top.items():
        below = result.get(key)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            result[key] = overlaid(below, value)
        else:
            result[key] = value
    return result


def _arguments(cluster: Cluster, values: Values | None, chart: Path) -> list[str]:
    # JSON is YAML, so a file of values needs no further care about quoting
    place = cluster.folder / VALUES_FILE
    place.write_text(json.dumps(values_for(cluster.service_port, values), indent=2))
    wait = ["--wait", "--timeout", f"{WAIT_SECONDS}s"]
    return [RELEASE, str(chart), "-n", NAMESPACE, "--create-namespace", *wait, "-f", str(place)]


def _flags(taking_ownership: bool) -> list[str]:
    return ["--take-ownership", "--force-conflicts"] if taking_ownership else []


def _helm(cluster: Cluster, arguments: Sequence[str]) -> str:
    program = [str(cluster.binary("helm")), "--kubeconfig", str(cluster.kubeconfig)]
    try:
        told = subprocess.run(
            [*program, *arguments],
            capture_output=True,
            text=True,
            timeout=WAIT_SECONDS + 30,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise ProductError(f"helm {arguments[0]} did not end\n{_evidence(cluster)}") from None
    if told.returncode != 0:
        # helm repeats its warnings line by line before the error
        said = told.stderr.strip() or told.stdout.strip()
        raise ProductError(f"helm {arguments[0]}: {said}\n{_evidence(cluster)}")
    return told.stdout


def _evidence(cluster: Cluster) -> str:
    """What Kubernetes says of the product's pods, as far as it can be read, and their logs."""
    selected = ("-n", NAMESPACE, "-l", "app.kubernetes.io/part-of=elastic-quota-operator")
    columns = "custom-columns=" + ",".join(f"{name}:{path}" for name, path in _COLUMNS.items())
    pods = _kubectl(cluster, "get", "pods", *selected, "-o", columns)
    tail = ("--all-containers", "--prefix", "--ignore-errors", f"--tail={_LINES_OF_A_LOG}")
    return pods + _kubectl(cluster, "logs", *selected, *tail)


def _kubectl(cluster: Cluster, *words: str) -> str:
    """The output and the errors of a command."""
    program = (str(cluster.binary("kubectl")), "--kubeconfig", str(cluster.kubeconfig))
    try:
        return subprocess.run(
            [*program, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_KUBECTL_SECONDS,
            check=False,
        ).stdout
    except subprocess.TimeoutExpired as error:
        return str(error)
