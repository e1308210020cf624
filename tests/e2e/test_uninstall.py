"""Uninstalling stops the operator and keeps what users wrote; a new install continues with it."""

import subprocess
from pathlib import Path

import pytest

import command_line
from installation import BY_BOTH, CONTROLLER, NAMESPACE, WEBHOOK, Installation
from local_cluster import cluster as local
from scenes import GATE, Pool, gates
from users import User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.long]


def test_a_23_uninstall_keeps_quotas_and_pods_and_a_new_install_continues_with_them(
    pool: Pool, admin: User, product: Installation
) -> None:
    pool.quota("team", min=2, max=2)
    pool.pods("team", 3)
    eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (2, 1))
    product.uninstall()
    try:
        for kind, name in (
            ("Deployment", CONTROLLER),
            ("Deployment", WEBHOOK),
            ("MutatingWebhookConfiguration", WEBHOOK),
            ("ValidatingWebhookConfiguration", WEBHOOK),
            ("ValidatingAdmissionPolicy", "elastic-quota-gate"),
        ):
            assert admin.find(kind, name, NAMESPACE) is None, f"{kind} {name} is left"
        assert pool.get("team")["spec"]["min"] == {"cpu": "2"}
        assert len(pool.running("team")) == 2
        pool.pod("free", "team")
        eventually(lambda: "free" in pool.running("team"), True)
    finally:
        product.install()
    # The pod that started meanwhile is one too many: it, or another, is evicted after the delay.
    eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (2, 1))
    pool.delete_pods(min(pool.running("team")))
    eventually(lambda: (len(pool.running("team")), pool.gated("team")), (2, set()))


def release(kubeconfig: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """The command, run as users run it."""
    return command_line.run("release", "--all", *words, kubeconfig=kubeconfig)


@BY_BOTH
def test_after_an_uninstall_an_administrator_removes_our_gates_and_no_others(
    pool: Pool, cluster: local.Cluster, product: Installation
) -> None:
    other = {"name": "example.com/other"}
    pool.quota("team", min=1, max=1)
    pool.pods("team", 3)
    pool.pod("before", "team", schedulingGates=[other])
    pool.pod("behind", "team", schedulingGates=[{"name": GATE}, other])
    pool.pod("foreign", None, schedulingGates=[other])
    eventually(lambda: (len(pool.running("team")), len(pool.gated("team"))), (1, 4))
    here = ("--namespace", pool.namespace)

    early = release(cluster.kubeconfig, *here)
    assert early.returncode == 1
    assert "uninstall the chart first" in early.stderr
    assert len(pool.gated("team")) == 4

    product.uninstall()
    try:
        counted = release(cluster.kubeconfig, "--dry-run", *here)
        assert "Would release 4 pods in 1 namespace." in counted.stdout
        assert len(pool.gated("team")) == 4

        done = release(cluster.kubeconfig)
        assert done.returncode == 0, done.stderr
        assert "2 pods of these also wait at gates of others, which stay." in done.stdout
        assert pool.gated("team") == set()
        for name in ("before", "behind", "foreign"):
            assert gates(pool.get_pod(name)) == [other["name"]]
        eventually(lambda: len(pool.running("team")), 3)
    finally:
        pool.delete_pods("before", "behind", "foreign")
        product.install()
