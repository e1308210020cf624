"""The installed controller exports its ledger, and applies a changed ConfigMap."""

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import command_line
from elasticquota_config import model
from elasticquota_config.model import Configuration
from installation import CONTROLLER, NAMESPACE, Installation, Kubectl
from scenes import Pool, condition
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster

CONFIG = ("configmap", "elastic-quota-config", "-n", NAMESPACE)


@pytest.fixture
def addresses(admin: User, product: Installation) -> list[str]:
    """Addresses of the controllers, the leader first."""
    leader = product.leader()
    names = sorted(product.pods(CONTROLLER), key=lambda name: name != leader)
    pods = [admin.get("Pod", name, NAMESPACE) for name in names]
    return [f"http://{pod['status']['podIP']}:8080" for pod in pods]


def page(address: str, path: str) -> str:
    with urllib.request.urlopen(f"{address}/{path}", timeout=10) as answer:
        return str(answer.read().decode())


def in_force(address: str) -> Configuration:
    objects = json.loads(page(address, "debug/ledger"))["items"]
    (found,) = (each for each in objects if each["kind"] == "ConfigMap")
    return model.parse(found["data"]["config.yaml"])


def paused(addresses: list[str]) -> set[bool]:
    return {in_force(address).reclaim.paused for address in addresses}


def test_the_file_of_any_controller_agrees_with_the_cluster(
    pool: Pool, addresses: list[str], tmp_path: Path
) -> None:
    pool.department("dept", min=6, max=8)
    pool.quota("team", parent="dept", min=2, max=3)
    pool.quota("other", parent="dept", min=1)
    pool.pods("other", 2)
    pool.pods("team", 4)
    eventually(lambda: len(pool.running("team")), 3)
    eventually(lambda: [pool.used(each) for each in ("team", "other", "dept")], ["3", "2", "5"])
    eventually(lambda: pool.status("team")["pods"], {"admitted": 3, "gated": 1})
    eventually(lambda: pool.status("dept")["pods"], {"admitted": 5, "gated": 1})
    (waiting,) = eventually(lambda: pool.gated("team"), lambda found: len(found) == 1)
    said = eventually(
        lambda: condition(pool.get_pod(waiting), "PodScheduled")["message"],
        lambda message: (
            "all 3 of its current share are in use" in message and "Position 1 of 1." in message
        ),
    )
    for number, address in enumerate(addresses):
        file = tmp_path / f"ledger-{number}.json"
        file.write_text(page(address, "debug/ledger"), encoding="utf-8")
        explained = command_line.answer(
            None, "explain", "pod", f"{pool.namespace}/{waiting}", "-f", str(file)
        )
        more = f" More: kubectl elastic-quota explain pod {pool.namespace}/{waiting}"
        assert explained["pod"]["message"] == said.replace(more, "")
        report = command_line.answer(None, "simulate", "-f", str(file))
        figures = {quota["name"]: quota for quota in report["quotas"]}
        for short in ("team", "other", "dept"):
            status = pool.status(short)
            found = figures[pool.name(short)]
            assert {key: found[key]["cpu"] for key in ("runtime", "used", "request")} == {
                key: status[key]["cpu"] for key in ("runtime", "used", "request")
            }


@pytest.fixture
def config(kubectl: Kubectl, addresses: list[str]) -> Iterator[str]:
    """The ConfigMap; its content is restored afterwards, and Helm owns it again."""
    stored = json.loads(kubectl("get", *CONFIG, "--show-managed-fields", "-o", "json"))
    before: str = stored["data"]["config.yaml"]
    yield before
    write(kubectl, before)
    eventually(lambda: paused(addresses), {False})
    owners = {
        "op": "replace",
        "path": "/metadata/managedFields",
        "value": stored["metadata"]["managedFields"],
    }
    kubectl("patch", *CONFIG, "--type", "json", "-p", json.dumps([owners]))


def write(kubectl: Kubectl, text: str) -> None:
    kubectl("patch", *CONFIG, "--type", "merge", "-p", json.dumps({"data": {"config.yaml": text}}))


def test_running_controllers_apply_a_changed_configmap_but_not_a_broken_one(
    config: str, kubectl: Kubectl, admin: User, product: Installation, addresses: list[str]
) -> None:
    def restarts() -> dict[str, int]:
        pods = [admin.get("Pod", name, NAMESPACE) for name in product.pods(CONTROLLER)]
        return {
            pod["metadata"]["name"]: pod["status"]["containerStatuses"][0]["restartCount"]
            for pod in pods
        }

    def valid() -> set[bool]:
        return {"config_valid 1.0\n" in page(address, "metrics") for address in addresses}

    before = restarts()
    write(kubectl, config.replace("paused: false", "paused: true"))
    eventually(lambda: paused(addresses), {True})
    write(kubectl, config.replace("paused: false", "paused: perhaps"))
    eventually(valid, {False})
    assert paused(addresses) == {True}
    assert [page(address, "readyz") for address in addresses] == ["ok\n", "ok\n"]
    assert restarts() == before
