"""``simulate`` and ``explain`` count the devices that pods claim, as the controller does."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

import explain_fixture
from api_double import Refusal
from api_double.kinds import Kind
from elasticquota_cli import main as cli
from elasticquota_kube.client.paths import Resource
from explain_fixture import pod_of
from live_cluster import Live
from stored import Stored


EXAMPLE = Path(__file__).parents[3] / "examples" / "dra"
A100 = "a100.example.com.deviceclass.resource.k8s.io/devices"
T4 = "t4.example.com.deviceclass.resource.k8s.io/devices"

Screen = pytest.CaptureFixture[str]


def simulate(capsys: Screen, *words: str | Path) -> Any:
    assert cli.main(["simulate", *map(str, words), "-o", "json"]) == 0
    return msgspec.json.decode(capsys.readouterr().out)


def files(*names: str) -> list[str | Path]:
    return [part for name in names for part in ("-f", EXAMPLE / f"{name}.yaml")]


BEFORE = files("1-nodes", "2-quotas", "3-notebooks", "4-vision")


def used(found: Any, quota: str, key: str) -> tuple[Any, Any]:
    """What the quota uses before and after the change."""
    (row,) = [each for each in found["quotas"] if each["before"]["name"] == quota]
    return row["before"]["used"].get(key, "0"), row["after"]["used"].get(key, "0")


def test_the_example_of_devices_is_simulated_as_it_runs(capsys: Screen) -> None:
    found = simulate(capsys, *BEFORE, "--what-if", EXAMPLE / "5-speech.yaml")
    assert used(found, "dra-vision", A100) == ("8", "4"), "the shared claim counts once"
    assert used(found, "dra-speech", A100) == ("0", "4")
    assert used(found, "dra-vision", T4) == ("4", "4"), "the alternative counts, too"
    assert {each["name"].partition("-")[0] for each in found["reclaims"]} == {"train"}


def test_a_claim_can_be_added_and_deleted_by_what_if(tmp_path: Path, capsys: Screen) -> None:
    gone = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "notebooks", "namespace": "dra-vision"},
        "$patch": "delete",
    }
    change = tmp_path / "gone.yaml"
    change.write_text(yaml.safe_dump(gone))
    found = simulate(capsys, *BEFORE, "--what-if", change)
    assert used(found, "dra-vision", A100) == ("8", "6")
    gone["metadata"]["name"] = "none"  # type: ignore[index]
    change.write_text(yaml.safe_dump(gone))
    assert cli.main(["simulate", *map(str, BEFORE), "--what-if", str(change)]) == 0
    assert "there is nothing to delete" in capsys.readouterr().err


def test_a_wrong_claim_is_one_line_and_bad_input(capsys: Screen, tmp_path: Path) -> None:
    wrong = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "bad", "namespace": "team"},
        "spec": {
            "devices": {
                "requests": [
                    {"name": "gpu", "exactly": {"deviceClassName": "gpu", "count": -1}},
                    {"name": "any"},
                ]
            }
        },
    }
    file = tmp_path / "wrong.yaml"
    file.write_text(yaml.safe_dump(wrong))
    assert cli.main(["simulate", "-f", str(file)]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if "spec.devices" in line]
    assert [line.rpartition("spec.devices.")[2] for line in lines] == [
        "requests[0].exactly.count: must be a number from 1 to 2147483647, got -1",
        "requests[1]: must have exactly or firstAvailable",
    ]


def test_a_class_that_cannot_be_evaluated_is_noted(capsys: Screen, tmp_path: Path) -> None:
    text = (
        (EXAMPLE / "1-nodes.yaml").read_text().replace("device.driver ==", "ip(device.driver) ==")
    )
    file = tmp_path / "nodes.yaml"
    file.write_text(text)
    assert cli.main(["simulate", "-f", str(file), *map(str, files("2-quotas"))]) == 0
    assert "DeviceClass a100.example.com: expression 'ip(device.driver)" in capsys.readouterr().err


@pytest.fixture
async def double(tmp_path: Path, capsys: Screen) -> AsyncIterator[Live]:
    """A team with a pod that waits for more devices than there are."""
    stored = Stored()
    stored.grown_tree(20)
    stored.quota("team-a", 4, 6)
    stored.waits("new", 1)
    for document in stored.documents:
        if document["kind"] == "Pod":
            claims = [{"name": "gpu", "resourceClaimName": "ours"}]
            document["spec"]["resourceClaims"] = claims
    async with Live(tmp_path, capsys) as found:
        explain_fixture.fill(found, stored.documents)
        group = {
            "deviceclasses": "DeviceClass",
            "resourceslices": "ResourceSlice",
            "resourceclaims": "ResourceClaim",
            "resourceclaimtemplates": "ResourceClaimTemplate",
        }
        for plural, kind in group.items():
            resource = Resource("resource.k8s.io", "v1", plural)
            found.serve(Kind(resource, kind, namespaced="claim" in plural))
        class_ = {"metadata": {"name": "gpu.example.com"}, "spec": {}}
        found.put(Resource("resource.k8s.io", "v1", "deviceclasses"), class_)
        exactly = {"deviceClassName": "gpu.example.com", "count": 2}
        spec = {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}
        claim = {"metadata": {"namespace": "team-a", "name": "ours"}, "spec": spec}
        found.put(Resource("resource.k8s.io", "v1", "resourceclaims"), claim)
        yield found


async def test_explain_counts_the_claims_of_a_live_cluster(double: Live) -> None:
    assert await double.run("explain", "pod", "team-a/new", "-o", "json") == 0
    found = pod_of(double.screen)
    assert (found.state, found.reason) == ("Waiting", "NoNodeFits")
    assert "needs 2 gpu.example.com.deviceclass.resource.k8s.io/devices" in found.message


async def test_explain_says_when_claims_may_not_be_read(double: Live) -> None:
    refusal = Refusal(403, "Forbidden", "no")
    double.faults.answer(refusal, times=9, method="GET", path="resourceslices")
    assert await double.run("explain", "pod", "team-a/new") == 0
    assert "you may not read resourceslices" in double.said().err


def test_a_file_of_the_controller_shows_that_a_pod_waits_for_its_claim(
    tmp_path: Path, capsys: Screen
) -> None:
    stored = Stored()
    stored.grown_tree(20)
    stored.quota("team-a", 4, 6)
    stored.waits("new", 1)
    for document in stored.documents:
        if document["kind"] == "Pod":
            annotations = document["metadata"].setdefault("annotations", {})
            annotations["explain.elasticquota.dev/claim"] = "ResourceClaim team-a/x does not exist"
    file = tmp_path / "dump.yaml"
    file.write_text(yaml.safe_dump_all(stored.documents))
    assert cli.main(["explain", "pod", "team-a/new", "-f", str(file)]) == 0
    assert "ResourceClaim team-a/x does not exist" in capsys.readouterr().out
