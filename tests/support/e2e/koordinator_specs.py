"""Koordinator's own end-to-end specs of quotas, run by its own framework."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from external_systems import recipes
from local_cluster import cluster as local


_SECONDS = 600
"""Its own waits are 60 s for quotas and 5 min for pods; all specs together take half a minute."""


@dataclass(frozen=True)
class Result:
    """How one spec ended."""

    state: str
    """``passed``, or how it did not."""
    log: str
    """Where and why it failed, and what it said on its way."""


def run(cluster: local.Cluster, folder: Path) -> dict[str, Result]:
    """Run all of them as the administrator; returns how each ended, by its text."""
    program = recipes.KOORDINATOR.programs(print)["koordinator-e2e"]
    report = folder / "report.json"
    command = [str(program), "-kubeconfig", str(cluster.kubeconfig), "-provider", "local"]
    # Its own workflow says so too: Kubernetes makes no token Secrets of accounts any more.
    command += ["-e2e-verify-service-account=false"]
    # Custom resources have no protobuf.
    command += ["-kube-api-content-type", "application/json"]
    command += ["-ginkgo.no-color", f"-ginkgo.json-report={report}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    assert report.exists(), f"{done.stdout}\n{done.stderr}"
    (suite,) = json.loads(report.read_text())
    specs = [each for each in suite["SpecReports"] or () if each["LeafNodeType"] == "It"]
    return {_text(each): Result(each["State"], _log(each)) for each in specs}


def _text(spec: dict[str, Any]) -> str:
    return str(spec["LeafNodeText"]).removesuffix(" [Conformance]")


def _log(spec: dict[str, Any]) -> str:
    failure = spec.get("Failure") or {}
    place = failure.get("Location") or {}
    at = f"{Path(place.get('FileName', '')).name}:{place.get('LineNumber')}"
    return "\n".join(
        [f"{at}: {failure.get('Message')}", spec.get("CapturedGinkgoWriterOutput") or ""]
    )
