"""Runs ``explain`` on the double, with the objects of ``stored``."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from api_double import ApiDouble
from elasticquota_cli import main as cli
from elasticquota_cli.why.parts import report
from elasticquota_kube.client import paths
from stored import Document, Stored


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


class Explained(Stored):
    """Stored objects, and what ``explain`` says of them."""

    def __init__(self, folder: Path, screen: pytest.CaptureFixture[str]) -> None:
        super().__init__()
        self._folder = folder
        self._screen = screen

    def lines(self, *words: str) -> list[str]:
        """What it prints."""
        assert cli.main(["explain", *words, "-f", str(self.write(self._folder))]) == 0
        return self._screen.readouterr().out.splitlines()

    def answer(self, *words: str) -> report.WhyAnswer:
        """Its machine-readable report."""
        file = str(self.write(self._folder))
        assert cli.main(["explain", *words, "-o", "json", "-f", file]) == 0
        return answered(self._screen)

    def about_pod(self, name: str, *words: str) -> report.PodAnswer:
        """The part of the report about a pod."""
        found = self.answer("pod", name, *words).pod
        assert found is not None
        return found

    def about_quota(self, name: str) -> report.QuotaAnswer:
        """The part of the report about a quota."""
        found = self.answer("quota", name).quota
        assert found is not None
        return found

    def configured(self, text: str) -> tuple[str, str]:
        """The option that names a configuration with this text."""
        file = self._folder / "config.yaml"
        file.write_text(text, encoding="utf-8")
        return "--config", str(file)
