"""``why``, ``explain``, ``pending`` and the pod's condition say one sentence about a wait."""

import json
import random
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from elasticquota.decisions import decide
from elasticquota.model import reason_code
from elasticquota.model.decision import Wait
from elasticquota.model.key import Key
from elasticquota.wire.kubernetes import pods
from elasticquota_cli import main as cli
from elasticquota_cli.live.tenant_view import TenantView
from elasticquota_cli.why import answer
from elasticquota_cli.why.computed import files
from elasticquota_cli.why.parts import report
from elasticquota_cli.why.published import known
from elasticquota_cli.why.subject import AskedObject
from elasticquota_kube.client import paths
from simulated import Screen
from stored import PREFIX, Document, Stored


SEEDS = range(10)
TEAMS = ("team-a", "team-b", "team-c")
_FREED = re.compile(r"(?:is|are) freed|must come free")
"""What says how much has to be freed."""


def world(seed: int) -> Stored:
    """Three teams below a department and beside it, full and not, with pods that wait."""
    chance = random.Random(seed)
    stored = Stored()
    stored.tree(chance.randint(8, 16), chance.randint(8, 16))
    stored.department("dept", 4, chance.randint(10, 30))
    for name in TEAMS:
        parent = "pool" if name == "team-c" else "dept"
        least = chance.randint(0, 4)
        most = chance.choice((least + chance.randint(1, 14), 60))
        quota = stored.quota(name, least, most, parent=parent)
        if chance.random() < 0.1:
            quota["spec"]["paused"] = True
    for name in TEAMS:
        for number in range(chance.randint(0, 7)):
            stored.runs(f"run-{number}", chance.randint(1, 3), namespace=name)
        for number in range(chance.randint(1, 4)):
            labels = {f"{PREFIX}name": "dept"} if chance.random() < 0.1 else {}
            if chance.random() < 0.1:
                labels[f"{PREFIX}preemptible"] = "false"
            asked = {"cpu": chance.choice(("1", "2", "3500m", "40")), "memory": "1Gi"}
            spec = {"priority": chance.choice((0, 0, 7))}
            stored.waits(f"wait-{number}", asked, namespace=name, labels=labels, spec=spec)
    return stored


def decided(stored: Stored, folder: Path, *, at_once: bool) -> dict[Key, Wait]:
    """Why the pods wait, by the controller's decision; ``at_once``: no eviction is held back."""
    inputs = files.read([str(stored.write(folder))], None)
    policy = inputs.policy.at_once() if at_once else inputs.policy
    found = decide.decide(inputs.ledger, 0, policy)
    return {wait.pod: wait for wait in found.of_workloads.waits}


def publish(stored: Stored, waits: dict[Key, Wait]) -> None:
    """Write the messages on the pods as the controller does."""
    for document in stored.documents:
        meta = document["metadata"]
        wait = waits.get(Key(meta.get("namespace", ""), meta["name"]))
        if document["kind"] == "Pod" and wait is not None:
            said = {"type": "PodScheduled", "status": "False", "message": wait.message}
            document["status"] = {"phase": "Pending", "conditions": [said]}


def asked(capsys: Screen, *words: str) -> Any:
    assert cli.main([*words, "-o", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def of_a_tenant(documents: list[Document], key: Key) -> report.PodAnswer:
    """What the answer says where only what is published may be read."""
    of_kind: dict[str, list[Document]] = {"ElasticQuota": [], "Pod": []}
    for each in documents:
        of_kind.setdefault(each["kind"], []).append(each)
    own = [each for each in of_kind["Pod"] if each["metadata"]["namespace"] == key.namespace]
    view = TenantView(
        quotas=tuple(of_kind["ElasticQuota"]),
        pods=tuple(msgspec.convert(each, pods.PodManifest) for each in own),
        closed=(paths.NODES.plural,),
        all_quotas=True,
    )
    found = answer.of(known.of(view, sums=True), AskedObject("pod", key)).pod
    assert found is not None
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_one_sentence_one_reason_and_one_position_everywhere(
    seed: int, tmp_path: Path, capsys: Screen
) -> None:
    stored = world(seed)
    assert_one(decided(stored, tmp_path, at_once=True), stored.write(tmp_path), capsys)
    waits = decided(stored, tmp_path, at_once=False)
    publish(stored, waits)
    # By now another pod has ended, and the controller has not decided again.
    ended = next(each for each in stored.documents if each["metadata"]["name"].startswith("run-"))
    stored.documents.remove(ended)
    file = stored.write(tmp_path)
    assert_one(waits, file, capsys)
    for each in asked(capsys, "pending", "-A", "-f", str(file))["items"]:
        head = waits.get(Key(*each["head"].split("/")))
        if head is not None:  # or else the controller admits it now
            assert (each["message"], each["reason"]) == (head.stated, head.reason)
    for key, wait in waits.items():
        found = msgspec.to_builtins(of_a_tenant(stored.documents, key))
        assert of_pod(found) == (wait.stated, wait.reason, wait.place)
        assert reason_code.at_end(wait.message) == wait.reason


def assert_one(waits: dict[Key, Wait], file: Path, capsys: Screen) -> None:
    """Assert that all that is said of these pods is what the controller says."""
    for key, wait in waits.items():
        found = asked(capsys, "why", "pod", str(key), "-f", str(file))["pod"]
        assert of_pod(found) == (wait.stated, wait.reason, wait.place)
        assert cli.main(["explain", "pod", str(key), "-f", str(file)]) == 0
        text = capsys.readouterr().out
        assert text.count(wait.stated) == 1
        assert len(_FREED.findall(text)) <= 1
    for name in TEAMS:
        for each in asked(capsys, "why", "quota", name, "-f", str(file))["quota"]["waiting"]:
            wait = waits[Key(each["namespace"], each["name"])]
            assert (each["message"], each["reason"], each["place"]) == (
                wait.stated,
                wait.reason,
                wait.place,
            )


def of_pod(found: Any) -> tuple[str, str, int]:
    return found["message"], found["reason"], found["line"]["place"] if found["line"] else 0


def test_the_worlds_have_waits_of_many_reasons(tmp_path: Path) -> None:
    reasons = {
        wait.reason
        for seed in SEEDS
        for wait in decided(world(seed), tmp_path, at_once=False).values()
    }
    assert reasons >= {
        "QuotaExhausted",
        "AncestorExhausted",
        "ExceedsMax",
        "NoNodeFits",
        "QuotaNotAccepted",
        "QuotaPaused",
        "WaitingForReclaim",
    }
