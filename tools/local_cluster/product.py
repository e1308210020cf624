"""Installs the product from its own chart, as every user does.

Only the values differ: both Deployments run on the process node, and the webhook's Service leads to
the loopback port where that node listens. When something does not become ready, the error has
helm's output, the statuses of the pods, and the end of their logs.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
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
    """The statuses of the product's pods, as far as they can be read."""
    return "\n".join(_findings(cluster))


def _findings(cluster: Cluster) -> Iterator[str]:
    try:
        told = subprocess.run(
            [
                *(str(cluster.binary("kubectl")), "--kubeconfig", str(cluster.kubeconfig)),
                *("get", "pods", "-n", NAMESPACE, "-o", "json"),
            ],
            capture_output=True,
            text=True,
            timeout=_KUBECTL_SECONDS,
            check=True,
        )
        pods = json.loads(told.stdout)["items"]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError) as error:
        yield f"the pods cannot be listed: {error}"
        return
    if not pods:
        yield f"there is no pod in {NAMESPACE}"
    for pod in pods:
        if ready(pod):
            continue
        name = pod["metadata"]["name"]
        yield f"pod {name} is not ready: {why_not_ready(pod)}"
        for container in pod["spec"]["containers"]:
            log = cluster.pod_log(NAMESPACE, name, container["name"])
            if log.exists():
                yield f"end of {log}:"
                lines = log.read_text(errors="replace").splitlines()
                yield from (f"  {line}" for line in lines[-_LINES_OF_A_LOG:])


def ready(pod: Mapping[str, Any]) -> bool:
    """Whether the pod's Ready condition is true."""
    conditions = pod.get("status", {}).get("conditions", ())
    return any(found["type"] == "Ready" and found["status"] == "True" for found in conditions)


def why_not_ready(pod: Mapping[str, Any]) -> str:
    """The line of a pod's status that explains most."""
    status = pod.get("status", {})
    for container in status.get("containerStatuses", ()):
        for state in (container.get("state", {}), container.get("lastState", {})):
            for kind in ("waiting", "terminated"):
                if kind in state:
                    told = state[kind]
                    words = [told.get("reason", kind), told.get("message", "")]
                    if "exitCode" in told:
                        words.append(f"exit code {told['exitCode']}")
                    return f"{container['name']}: {' '.join(word for word in words if word)}"
    for condition in status.get("conditions", ()):
        if condition["status"] != "True" and condition.get("message"):
            return f"{condition['type']}: {condition['message']}"
    return f"phase {status.get('phase', 'unknown')}"
