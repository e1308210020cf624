"""``python -m dev [--dir DIR]``: the whole operator from the source, in one process (``make dev``).

On a local control plane, with the definitions and without Helm, image or policies. Kopf runs the
controller and admission. The operator has a service account of its own, because the rules tell its
writes from those of users. Ctrl-C ends it; the control plane stays until ``make cluster-down``.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from local_cluster import build, cluster, kubeconfig, product
from local_cluster.cluster import Cluster


ROOT: Final = build.TOOLS.parent
MODULES: Final = ("elasticquota_operator.handlers", "elasticquota_webhooks.kopf_handlers")
ACCOUNT: Final = "elastic-quota-controller"
_USER: Final = f"system:serviceaccount:{product.NAMESPACE}:{ACCOUNT}"
_TOKEN_HOURS: Final = 24
_OBJECTS: Final = f"""
{{apiVersion: v1, kind: Namespace, metadata: {{name: {product.NAMESPACE}}}}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {{name: {ACCOUNT}, namespace: {product.NAMESPACE}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: elastic-quota-dev}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}}
subjects: [{{kind: ServiceAccount, name: {ACCOUNT}, namespace: {product.NAMESPACE}}}]
"""


class DevError(Exception):
    """The operator cannot run on this cluster; the text says why and what to do."""


def main() -> int:  # noqa: RET503 - it ends as another program
    """Start the cluster unless it runs, and become Kopf's process; returns 1 if that fails."""
    parser = argparse.ArgumentParser(prog="python -m dev", description=(__doc__ or "").strip())
    default = ROOT / ".cache" / "cluster"
    parser.add_argument("--dir", type=Path, default=default, help="the cluster's [%(default)s]")
    parser.add_argument("--port", type=int, default=8080, help="of its pages [%(default)s]")
    options = parser.parse_args()
    folder: Path = options.dir
    try:
        running = cluster.attach(folder) or cluster.start(folder, tied=False, say=build.say)
        environment = prepare(running, folder / "dev", options.port)
    except (DevError, cluster.ClusterError, build.BuildError) as error:
        build.say(str(error))
        return 1
    build.say(f"for kubectl: export KUBECONFIG={running.kubeconfig}")
    build.say("Ctrl-C ends the operator; make cluster-down ends the control plane")
    command = [sys.executable, *arguments()]
    os.execve(sys.executable, command, {**os.environ, **environment})  # noqa: S606


def arguments() -> list[str]:
    """What Python is called with, to run the whole operator by Kopf's command."""
    return ["-m", "kopf", "run", "-A", *(part for each in MODULES for part in ("-m", each))]


def prepare(running: Cluster, folder: Path, port: int) -> Mapping[str, str]:
    """Apply what the operator needs; return the variables of its environment.

    ``folder`` gets its kubeconfig and configuration; its pages are at ``port`` of the loopback.
    Raises `DevError`.
    """
    installed = _kubectl(running, "get", "deployments", "-A", "-o", "name")
    if f"deployment.apps/{ACCOUNT}" in installed.split():
        raise DevError(
            "the operator is installed in this cluster: uninstall it, or make cluster-down"
        )
    _kubectl(running, "apply", "--server-side", "--force-conflicts", "-f", str(ROOT / "crds"))
    _kubectl(running, "apply", "-f", "-", given=_OBJECTS)
    _kubectl(running, "wait", "--for=condition=Established", "crd", "--all", "--timeout=30s")
    folder.mkdir(parents=True, exist_ok=True)
    lasting = f"--duration={_TOKEN_HOURS}h"
    token, config = folder / "token", folder / "config.yaml"
    token.touch(mode=0o600)
    token.write_text(
        _kubectl(running, "create", "token", ACCOUNT, "-n", product.NAMESPACE, lasting)
    )
    config.write_text(f"controllerUser: {_USER}\ncontroller: {{port: {port}}}\n")
    login = kubeconfig.for_token_file(
        folder / "kubeconfig",
        api=running.api,
        authority=running.folder / "pki" / "ca.crt",
        token=token,
        namespace=product.NAMESPACE,
    )
    return {
        "KUBECONFIG": str(login),
        "ELASTIC_QUOTA_CONFIG": str(config),
        "POD_NAMESPACE": product.NAMESPACE,
        "POD_IP": "127.0.0.1",
        "PYTHONPATH": f"{ROOT / 'operator'}:{ROOT / 'webhooks'}",
    }


def _kubectl(running: Cluster, *what: str, given: str | None = None) -> str:
    program = [str(running.binary("kubectl")), "--kubeconfig", str(running.kubeconfig)]
    told = subprocess.run(
        [*program, *what], input=given, capture_output=True, text=True, timeout=60, check=False
    )
    if told.returncode:
        raise DevError(f"kubectl {what[0]}: {told.stderr.strip()}")
    return told.stdout


if __name__ == "__main__":
    sys.exit(main())
