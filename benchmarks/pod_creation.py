"""Measures the creation of a pod on a real API server: with webhook, with policy, with neither.

One local cluster with the product installed, and one namespace for each way, so that all ways take
turns in the same minutes. All pods have another controller's gate, which keeps the scheduler away
from them; webhook and policy add a label and our gate. The release gates pods by the webhook; the
policy is the chart's own, rendered in addition for its one namespace.
"""

import asyncio
import itertools
import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from benchmarks import measure
from benchmarks.measure import Times
from benchmarks.table import Row, Target
from elasticquota import names
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials import credentials
from elasticquota_kube.client.credentials.login import Login
from local_cluster import cluster, product


COUNT: Final = 1_000
BLOCK: Final = 50
WIDE: Final = 16
NONE: Final = "way-none"
WAYS: Final = {"webhook": "way-webhook", "policy": "way-policy", "none": NONE}
VALUES: Final = {
    "podAdmission": "webhook",
    "webhook": {"pods": {"excludedNamespaces": ["kube-node-lease", WAYS["policy"], NONE]}},
    # Without replicas, because the controller's work on the pods would be measured, too.
    "controller": {"replicas": 0},
}
POLICY: Final = {
    "podAdmission": "policy",
    "webhook": {"pods": {"excludedNamespaces": ["kube-node-lease", WAYS["webhook"], NONE]}},
}
REACH: Final = {
    "webhook": {"p50": 1.6, "p99": 1.3},
    "policy": {"p50": 1.1, "p99": 1.1},
}


def all_cases() -> Iterator[Row]:
    """One after the other, then sixteen at a time."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "local"
        with cluster.start(place, say=measure.say) as running:
            product.install(running, VALUES)
            _add_the_policy(running)
            taken = asyncio.run(_create(running.kubeconfig))
    for width, by_way in taken.items():
        case = "one by one" if width == 1 else f"{width} at a time"
        none = by_way["none"]
        for way, times in by_way.items():
            if way == "none":
                continue
            for name, ours, theirs in (
                ("p50", times.median, none.median),
                ("p99", times.p99, none.p99),
            ):
                yield Row(
                    f"pod creation by {way}, {case}: {name}", ours * 1e3, "ms",
                    each_leaf=theirs * 1e3,
                )  # fmt: skip
                yield Row(
                    f"pod creation by {way}, {case}: {name} against none",
                    ours / theirs, "x", Target(REACH[way][name]),
                )  # fmt: skip


def _add_the_policy(running: cluster.Cluster) -> None:
    """Install the policy beside the webhook, as the chart has it where the policy is chosen."""
    place = running.folder / "policy.json"
    place.write_text(json.dumps(product.values_for(running.service_port, POLICY)))
    rendered = subprocess.run(
        [
            running.binary("helm"), "template", product.RELEASE, product.CHART,
            "-n", product.NAMESPACE, "-f", place, "-s", "templates/policy/gate-mutation.yaml",
            "--api-versions", "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy",
        ],
        check=True,
        capture_output=True,
    )  # fmt: skip
    subprocess.run(
        [running.binary("kubectl"), "--kubeconfig", running.kubeconfig, "apply", "-f", "-"],
        input=rendered.stdout,
        check=True,
        capture_output=True,
    )


async def _create(kubeconfig: Path) -> dict[int, dict[str, Times]]:
    taken: dict[int, dict[str, Times]] = {}
    async with Api(credentials.load(Login(kubeconfig))) as api:
        for namespace in WAYS.values():
            # The controller would write the label but is scaled down; only the policy checks it.
            meta = {"name": namespace, "labels": {names.NAMESPACE_QUOTA: namespace}}
            await api.create(paths.NAMESPACES, None, {"metadata": meta})
            await _until_there_are_accounts(api, namespace)
            await api.create(paths.QUOTAS, namespace, _quota(namespace))
        await _until_the_policy_holds(api)
        for width in (1, WIDE):
            measure.say(f"pod creation, {width} at a time")
            seconds: dict[str, list[float]] = {way: [] for way in WAYS}
            for block in range(-1, COUNT // BLOCK):  # the first warms up
                for way, namespace in WAYS.items():
                    found = await _block(api, namespace, f"{width}-{block + 1}", width)
                    if block >= 0:
                        seconds[way] += found
            taken[width] = {way: Times(tuple(found)) for way, found in seconds.items()}
    return taken


async def _block(api: Api, namespace: str, name: str, width: int) -> list[float]:
    seconds: list[float] = []
    turns = iter(range(BLOCK))

    async def one_after_the_other() -> None:
        for turn in turns:
            started = time.perf_counter()
            pod = await api.create(paths.PODS, namespace, _pod(f"{name}-{turn}"))
            seconds.append(time.perf_counter() - started)
            if _gated(pod) != (namespace != NONE):
                raise measure.WrongAnswerError(f"a pod of {namespace}: gated is {_gated(pod)}")

    await asyncio.gather(*(one_after_the_other() for _ in range(width)))
    return seconds


async def _until_there_are_accounts(api: Api, namespace: str) -> None:
    """Wait for the default account, which a controller creates a moment after the namespace."""
    async with asyncio.timeout(30):
        while not await api.list(_ACCOUNTS, namespace):  # noqa: ASYNC110 - asked a few times
            await asyncio.sleep(0.1)


async def _until_the_policy_holds(api: Api) -> None:
    """Wait until the API server has noticed the policy."""
    async with asyncio.timeout(30):
        for turn in itertools.count():
            made = await api.create(paths.PODS, WAYS["policy"], _pod(f"first-{turn}"))
            if _gated(made):
                return
            await asyncio.sleep(0.1)


def _gated(pod: dict[str, Any]) -> bool:
    return {"name": names.GATE} in pod["spec"]["schedulingGates"]


_ACCOUNTS: Final = paths.Resource("", "v1", "serviceaccounts")


def _quota(namespace: str) -> dict[str, Any]:
    """Selects the pods of the namespace of its name."""
    return {
        "apiVersion": names.QUOTA_API,
        "kind": names.QUOTA_KIND,
        "metadata": {"name": namespace},
        "spec": {"max": {"cpu": "1"}},
    }


def _pod(name: str) -> dict[str, Any]:
    container = {"name": "main", "image": "registry.example/a:1"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"p-{name}"},
        "spec": {
            "containers": [container],
            "schedulingGates": [{"name": "example.com/measured"}],
        },
    }
