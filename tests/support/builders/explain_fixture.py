"""Runs ``explain`` on the double, with the objects of ``stored``."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from api_double import ApiDouble
from elasticquota_cli import main as cli
from elasticquota_cli.why.parts import report
from elasticquota_kube.client import paths
from stored import Document


RESOURCES = {
    "Pod": paths.PODS,
    "Node": paths.NODES,
    "ElasticQuota": paths.QUOTAS,
    "ElasticQuotaProfile": paths.PROFILES,
}


def fill(double: ApiDouble, documents: Iterable[Document]) -> None:
    """Store these objects in the double, and make all nodes Ready."""
    for document in documents:
        double.put(RESOURCES[document["kind"]], document)
    for node in double.objects(paths.NODES):
        ready = [{"type": "Ready", "status": "True"}]
        double.put(paths.NODES, node | {"status": node["status"] | {"conditions": ready}})


def answered(screen: pytest.CaptureFixture[str]) -> report.WhyAnswer:
    """The answer that was printed as JSON."""
    return msgspec.json.decode(screen.readouterr().out, type=report.WhyAnswer)


def pod_of(screen: pytest.CaptureFixture[str]) -> report.PodAnswer:
    """The part of the answer about a pod, or job."""
    found = answered(screen).pod
    assert found is not None
    return found


def quota_of(screen: pytest.CaptureFixture[str]) -> report.QuotaAnswer:
    """The part of the answer about a quota."""
    found = answered(screen).quota
    assert found is not None
    return found


async def ask(double: ApiDouble, folder: Path, *words: str) -> int:
    """Run the command and return the exit code; in a thread, because it has an event loop of its
    own.
    """
    kubeconfig = str(double.kubeconfig(folder))
    return await asyncio.to_thread(cli.main, ["explain", *words, "--kubeconfig", kubeconfig])
