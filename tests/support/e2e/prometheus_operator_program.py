"""The real Prometheus Operator beside one local cluster, with its definitions and its role."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import yaml

import module_source
import programs
from installation import Kubectl
from local_cluster import build, ports
from local_cluster import cluster as local


_MODULE: Final = ("prometheus_operator", "github.com/prometheus-operator/prometheus-operator")
_ACCOUNT: Final = "system:serviceaccount:default:prometheus-operator"


def sources() -> Path:
    """The folder of its module."""
    return module_source.unpacked(*_MODULE)


@contextmanager
def defined(kubectl: Kubectl) -> Iterator[None]:
    """Its definitions are served inside the block."""
    folder = str(sources() / "example/prometheus-operator-crd")
    kubectl("apply", "--server-side", "-f", folder)
    kubectl("wait", "--for=condition=Established", "--timeout=30s", "-f", folder)
    try:
        yield
    finally:
        kubectl("delete", "--wait=false", "-f", folder)


@contextmanager
def running(cluster: local.Cluster, kubectl: Kubectl, folder: Path) -> Iterator[Path]:
    """It works with the rights of its own account; its log."""
    names = ["prometheus-operator"]
    program = build.ensure(names, print, build.PROMETHEUS_OPERATOR)["prometheus-operator"]
    rights = [
        str(path)
        for path in sorted((sources() / "example/rbac/prometheus-operator").glob("*.yaml"))
        if path.stem.endswith(("cluster-role", "cluster-role-binding", "service-account"))
    ]
    wanted = [word for path in rights for word in ("-f", path)]
    kubectl("apply", *wanted)
    holder = ports.reserve()
    command = [
        str(program),
        f"--as={_ACCOUNT}",
        f"--web.listen-address=127.0.0.1:{ports.number(holder)}",
        "--kubelet-endpoints=false",
    ]
    log = folder / "log"
    try:
        with holder, programs.running(command, log, {"KUBECONFIG": str(cluster.kubeconfig)}):
            yield log
    finally:
        kubectl("delete", *wanted)


def check(configuration: str, rules: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """What ``promtool`` says of a configuration and the rules that the operator made."""
    promtool = build.ensure(["promtool"], print, build.PROMETHEUS)["promtool"]
    (folder / "rules.yaml").write_text(rules)
    document = yaml.safe_load(configuration)
    document["rule_files"] = [str(folder / "rules.yaml")]
    (folder / "prometheus.yaml").write_text(yaml.safe_dump(document))
    return subprocess.run(
        [promtool, "check", "config", str(folder / "prometheus.yaml")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
