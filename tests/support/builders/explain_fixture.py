"""``explain`` asked of the double, with the objects of ``stored``."""

import asyncio
from collections.abc import Iterable
from pathlib import Path

from api_double import ApiDouble
from elasticquota_cli import main as cli
from elasticquota_kube.client import paths
from stored import Document


RESOURCES = {
    "Pod": paths.PODS,
    "Node": paths.NODES,
    "ElasticQuota": paths.QUOTAS,
    "ElasticQuotaProfile": paths.PROFILES,
}


def fill(double: ApiDouble, documents: Iterable[Document]) -> None:
    """Have these objects, and all nodes Ready."""
    for document in documents:
        double.put(RESOURCES[document["kind"]], document)
    for node in double.objects(paths.NODES):
        ready = [{"type": "Ready", "status": "True"}]
        double.put(paths.NODES, node | {"status": node["status"] | {"conditions": ready}})


async def ask(double: ApiDouble, folder: Path, *words: str) -> int:
    """The exit code; in a thread, because the command has an event loop of its own."""
    kubeconfig = str(double.kubeconfig(folder))
    return await asyncio.to_thread(cli.main, ["explain", *words, "--kubeconfig", kubeconfig])
