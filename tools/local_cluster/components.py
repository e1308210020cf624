"""The arguments and identity of each program of the control plane.

The scheduler is stock: no configuration of ours. Request limits are raised, because otherwise a
benchmark would measure the default limits. Programs that have no clients here open no port.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from local_cluster import certificates, folder, kubeconfig
from local_cluster.process_node import addresses


STAGES = Path(__file__).parent / "stages"
AUDIT_POLICY = Path(__file__).parent / "audit-policy.yaml"

_MOST_BYTES = 8 << 30
"""Of etcd's database. Each version of a large pod counts: 240 pods at the size limit that are
written five times are 1.7 GiB, and etcd stops at 2 unless it has another limit."""
_WHOLE_LOG = 1 << 20
"""The audit log is not rotated before it has so many MiB: its readers read one file, and a whole
run of tests writes over 100, which is the API server's own limit."""
_QPS = ("--kube-api-qps=1000", "--kube-api-burst=2000")
_MASTERS = ("system:masters",)
_CONTROLLERS = (
    "*",
    "-endpoints-controller",
    "-endpointslice-controller",
    "-endpointslice-mirroring-controller",
)
"""Pods have addresses of the loopback network here, which the API server refuses in endpoints."""
_USERS = {
    "kube-controller-manager": ("system:kube-controller-manager", ()),
    "kube-scheduler": ("system:kube-scheduler", ()),
    "kwok": ("kwok", _MASTERS),
    "supervisor": ("local-cluster", _MASTERS),
    "cluster-autoscaler": ("system:serviceaccount:kube-system:cluster-autoscaler", ()),
    "process-node": ("system:node:process-node", ("system:nodes", *_MASTERS)),
    "admin": ("admin", _MASTERS),
}


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where the servers of one cluster listen, all on 127.0.0.1."""

    etcd_client: int
    etcd_peer: int
    api: int

    @property
    def api_url(self) -> str:
        return f"https://127.0.0.1:{self.api}"

    @property
    def etcd_url(self) -> str:
        return f"http://127.0.0.1:{self.etcd_client}"


def identities(place: folder.Folder, ends: Endpoints, network: str, *, bare: bool = False) -> None:
    """Write the certificates and kubeconfigs of a new cluster, with a bare authority or not."""
    authority = certificates.Authority(place.pki, bare=bare)
    hosts = ("localhost", "127.0.0.1", "10.0.0.1", "kubernetes.default.svc", "kubernetes.default")
    authority.server("apiserver", hosts)
    authority.server("kubelet", (addresses.of_node(network),))
    authority.client("apiserver-kubelet", "kube-apiserver")
    certificates.token_key(place.pki)
    for name, (user, groups) in _USERS.items():
        certificate, key = authority.client(name, user, groups)
        kubeconfig.for_certificate(
            place.kubeconfig if name == "admin" else credentials(place, name),
            api=ends.api_url,
            authority=authority.certificate,
            certificate=certificate,
            key=key,
        )


def credentials(place: folder.Folder, component: str) -> Path:
    """The kubeconfig of a component."""
    return place.pki / f"{component}.kubeconfig"


def etcd(place: folder.Folder, ends: Endpoints) -> list[str]:
    """Arguments of etcd; without fsync, because its data need not outlive the machine."""
    peer = f"http://127.0.0.1:{ends.etcd_peer}"
    return [
        "--name=local",
        f"--data-dir={place.etcd}",
        f"--quota-backend-bytes={_MOST_BYTES}",
        f"--listen-client-urls={ends.etcd_url}",
        f"--advertise-client-urls={ends.etcd_url}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=local={peer}",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def apiserver(
    place: folder.Folder, ends: Endpoints, feature_gates: Sequence[str] = ()
) -> list[str]:
    """Arguments of kube-apiserver; with feature gates it serves alpha and beta APIs too."""
    pki = place.pki
    return [
        *_enabled(feature_gates),
        *(("--runtime-config=api/alpha=true,api/beta=true",) if feature_gates else ()),
        f"--etcd-servers={ends.etcd_url}",
        "--bind-address=127.0.0.1",
        f"--secure-port={ends.api}",
        f"--cert-dir={pki}",
        f"--tls-cert-file={pki / 'apiserver.crt'}",
        f"--tls-private-key-file={pki / 'apiserver.key'}",
        f"--client-ca-file={pki / 'ca.crt'}",
        "--authorization-mode=RBAC",
        "--allow-privileged",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={pki / 'service-accounts.pub'}",
        f"--service-account-signing-key-file={pki / 'service-accounts.key'}",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--endpoint-reconciler-type=none",
        f"--kubelet-certificate-authority={pki / 'ca.crt'}",
        f"--kubelet-client-certificate={pki / 'apiserver-kubelet.crt'}",
        f"--kubelet-client-key={pki / 'apiserver-kubelet.key'}",
        f"--audit-policy-file={AUDIT_POLICY}",
        f"--audit-log-path={place.audit_log}",
        f"--audit-log-maxsize={_WHOLE_LOG}",
    ]


def controller_manager(place: folder.Folder) -> list[str]:
    """Arguments of kube-controller-manager."""
    return [
        f"--kubeconfig={credentials(place, 'kube-controller-manager')}",
        "--use-service-account-credentials",
        f"--root-ca-file={place.pki / 'ca.crt'}",
        f"--service-account-private-key-file={place.pki / 'service-accounts.key'}",
        "--leader-elect=false",
        "--secure-port=0",
        f"--controllers={','.join(_CONTROLLERS)}",
        *_QPS,
    ]


def scheduler(place: folder.Folder, feature_gates: Sequence[str] = ()) -> list[str]:
    """Arguments of the stock kube-scheduler."""
    return [
        *_enabled(feature_gates),
        f"--kubeconfig={credentials(place, 'kube-scheduler')}",
        "--leader-elect=false",
        "--secure-port=0",
        *_QPS,
    ]


def _enabled(feature_gates: Sequence[str]) -> list[str]:
    if not feature_gates:
        return []
    return ["--feature-gates=" + ",".join(f"{gate}=true" for gate in feature_gates)]


def kwok(place: folder.Folder) -> list[str]:
    """Arguments of kwok, which simulates the nodes that have its annotation, and their pods."""
    return [
        f"--kubeconfig={credentials(place, 'kwok')}",
        "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake",
        "--node-lease-duration-seconds=40",
        *(f"--config={stage}" for stage in sorted(STAGES.glob("*.yaml"))),
    ]


def process_node(place: folder.Folder, ends: Endpoints, network: str) -> list[str]:
    """Arguments of the process node, after the Python interpreter's name."""
    return [
        "-m",
        "local_cluster.process_node",
        f"--api={ends.api_url}",
        f"--folder={place.root}",
        f"--network={network}",
    ]


def autoscaler(place: folder.Folder, ends: Endpoints) -> list[str]:
    """Arguments of the simulated autoscaler, after the Python interpreter's name."""
    return ["-m", "local_cluster.autoscaler", f"--api={ends.api_url}", f"--folder={place.root}"]
