"""The command line on a real cluster: logins as kubectl has them, and the verbs that write."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import tenants
from command_line import run
from installation import Kubectl
from local_cluster import cluster as local
from scenes import Pool, condition
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster

ROOT = Path(__file__).parents[2]
API = "client.authentication.k8s.io/v1"


@pytest.fixture
def planner(admin: User, pool: Pool, kubectl: Kubectl, tmp_path: Path) -> Path:
    """The kubeconfig of a user who may edit the quotas of one namespace."""
    user = tenants.planner(admin, pool.namespace)
    (tmp_path / "planner").mkdir()
    kubectl.of(user, tmp_path / "planner")
    return tmp_path / "planner/kubeconfig"


def split(kubeconfig: Path, folder: Path) -> str:
    """The same login as two files: a cluster, and a user who logs in by a credential plugin."""
    found: dict[str, Any] = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
    (user,) = found["users"]
    status = {
        "token": user["user"].get("token"),
        "clientCertificateData": user["user"].get("client-certificate-data"),
        "clientKeyData": user["user"].get("client-key-data"),
    }
    answer = {"kind": "ExecCredential", "apiVersion": API, "status": status}
    program = folder / "login"
    program.write_text(f"#!/bin/sh\necho logging in >&2\ncat <<'END'\n{json.dumps(answer)}\nEND\n")
    program.chmod(0o755)
    user["user"] = {
        "exec": {"apiVersion": API, "command": "./login", "interactiveMode": "IfAvailable"}
    }
    first, second = folder / "cluster.yaml", folder / "user.yaml"
    first.write_text(yaml.safe_dump({"clusters": found["clusters"]}), encoding="utf-8")
    found["clusters"] = [{"name": found["clusters"][0]["name"], "cluster": {"server": "http://no"}}]
    second.write_text(yaml.safe_dump(found), encoding="utf-8")
    return f"{first}:{second}"


def test_a_credential_plugin_and_two_kubeconfig_files_are_enough_to_log_in(
    pool: Pool, planner: Path, tmp_path: Path
) -> None:
    pool.quota("team", min=4, max=6)
    environment = {**os.environ, "KUBECONFIG": split(planner, tmp_path)}
    done = run("tree", "-n", pool.namespace, "-o", "name", environment=environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr.strip() == "logging in"
    assert f"elasticquota.scheduling.sigs.k8s.io/{pool.name('team')}" in done.stdout.splitlines()


def test_a_paused_quota_starts_no_pod_until_it_is_resumed(pool: Pool, planner: Path) -> None:
    login = ("--kubeconfig", str(planner), "-n", pool.namespace)
    pool.quota("team", min=4, max=6)
    name = pool.name("team")
    done = run("pause", "quota", name, "--yes", *login)
    assert done.returncode == 0, done.stderr
    assert "+  paused: true" in done.stdout.splitlines()
    pool.pods("team", 1)
    (pod,) = eventually(lambda: pool.gated("team"), lambda found: len(found) == 1)
    eventually(
        lambda: condition(pool.get_pod(pod), "PodScheduled")["message"],
        lambda message: f"quota {name} is paused" in message,
    )
    explained = run("explain", f"pod/{pod}", *login)
    assert "QuotaPaused" in explained.stdout
    assert run("resume", f"eq/{name}", "-y", *login).returncode == 0
    eventually(lambda: len(pool.running("team")), 1)


def test_a_tenant_who_may_only_read_quotas_pauses_none(
    pool: Pool, tenant: User, kubectl: Kubectl, tmp_path: Path
) -> None:
    kubectl.of(tenant, tmp_path)
    pool.quota("team", min=4, max=6)
    login = ("--kubeconfig", str(tmp_path / "kubeconfig"), "-n", pool.namespace)
    done = run("pause", "quota", pool.name("team"), "--yes", *login)
    assert done.returncode == 1
    assert "cannot patch resource" in done.stderr


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``make dist`` writes."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "dist", "--to", str(folder)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "tools")},
        check=True,
        timeout=300,
    )
    (found,) = folder.glob("*.pyz")
    return found


def test_the_program_in_one_file_runs_in_an_empty_environment(
    pool: Pool, cluster: local.Cluster, program: Path, tmp_path: Path
) -> None:
    pool.quota("team", min=4, max=6)
    empty = tmp_path / "home"
    empty.mkdir()
    environment = {"HOME": str(empty), "PATH": "/nowhere"}
    command = (sys.executable, "-I", "-S", str(program))
    login = ("--kubeconfig", str(cluster.kubeconfig))
    for words in (("tree",), ("explain", "quota", pool.name("team")), ("doctor",)):
        done = run(*words, *login, environment=environment, command=command)
        assert "Traceback" not in done.stderr
        assert done.returncode == 0 or words == ("doctor",), done.stderr
        assert pool.name("team") in done.stdout or words == ("doctor",)
    example = str(ROOT / "examples/import/kueue.yaml")
    imported = run("import", "kueue", "-f", example, environment=environment, command=command)
    assert "kind: ElasticQuota" in imported.stdout, imported.stderr
    refused = run("run", "controller", *(), environment=environment, command=command)
    assert "the image runs processes" in refused.stderr
