"""The real cert-manager beside one local cluster: its control loops and its cainjector.

Its chart gives definitions, accounts and roles. Its admission webhook does not run, because its
packages are internal, so no other program may contain them.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import external_release
import module_source
import programs
import users
from installation import Kubectl
from local_cluster import build
from local_cluster import cluster as local
from users import Document, User


NAMESPACE: Final = "cert-manager"
ACCOUNTS: Final = {"controller": "cert-manager", "cainjector": "cert-manager-cainjector"}
_MODULE: Final = ("cert_manager", "github.com/cert-manager/cert-manager")
_KINDS: Final = (
    "CustomResourceDefinition",
    "ServiceAccount",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
)


@contextmanager
def running(
    cluster: local.Cluster, admin: User, kubectl: Kubectl, folder: Path
) -> Iterator[dict[str, Path]]:
    """The log of each part; all that the chart made goes with the block."""
    program = build.ensure(["cert-manager"], print, build.CERT_MANAGER)["cert-manager"]
    objects = json.dumps({"apiVersion": "v1", "kind": "List", "items": _objects(cluster)})
    kubectl("create", "namespace", NAMESPACE)
    kubectl("apply", "--server-side", "-f", "-", stdin=objects)
    kubectl("wait", "crd", "--all", "--for=condition=Established", "--timeout=30s")
    logs = {part: folder / f"{part}.log" for part in ACCOUNTS}
    try:
        with ExitStack() as stack:
            for part, account in ACCOUNTS.items():
                place = folder / part
                place.mkdir()
                kubectl.of(users.account(admin, NAMESPACE, account), place)
                command = [str(program), "-for", str(place / "kubeconfig"), part]
                stack.enter_context(programs.running(command, logs[part]))
            yield logs
    finally:
        kubectl("delete", "--ignore-not-found", "--wait=false", "-f", "-", stdin=objects)
        kubectl("delete", "namespace", NAMESPACE, "--wait=false")


def _objects(cluster: local.Cluster) -> list[Document]:
    chart = module_source.unpacked(*_MODULE) / "deploy/charts/cert-manager"
    settings = ("crds.enabled=true", "startupapicheck.enabled=false")
    found = external_release.rendered(cluster, chart, NAMESPACE, *settings)
    return [each for each in found if each["kind"] in _KINDS]
