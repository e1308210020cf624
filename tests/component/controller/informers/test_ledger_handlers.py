"""The event handlers feed the ledger, and wake the engine when a change matters."""

from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from elasticquota.ledger.ledger import Ledger
from elasticquota.model.key import Key
from elasticquota_kube.informer import reflector
from elasticquota_operator.informers import ledger_handlers


class Woken:
    def __init__(self) -> None:
        self.times = 0
        self.ledger = Ledger()

    def touch(self) -> None:
        self.times += 1


@pytest.fixture
def woken() -> Woken:
    return Woken()


def pod(**status: Any) -> dict[str, Any]:
    return {
        "metadata": {"namespace": "team", "name": "a", "uid": "u1"},
        "spec": {"containers": [{"resources": {"requests": {"cpu": "1"}}}]},
        "status": status,
    }


def test_a_pod_is_added_and_removed(woken: Woken) -> None:
    feed = ledger_handlers.of_pods(woken.ledger, woken.touch)
    feed.upsert(msgspec.convert(pod(), feed.kind))
    assert woken.ledger.pods[Key("team", "a")].request == {"cpu": 1000, "pods": 1}
    feed.delete(reflector.ObjectKey("team", "a", "u1"))
    assert woken.ledger.pods == {}
    assert woken.times == 2


def test_an_update_without_effect_wakes_nothing(woken: Woken) -> None:
    feed = ledger_handlers.of_pods(woken.ledger, woken.touch)
    feed.upsert_manifest(pod())
    feed.upsert_manifest(pod(phase="Running", podIP="10.0.0.1"))
    assert woken.times == 1


def test_a_finished_pod_counts_nowhere(woken: Woken) -> None:
    feed = ledger_handlers.of_pods(woken.ledger, woken.touch)
    feed.upsert_manifest(pod())
    feed.upsert_manifest(pod(phase="Succeeded"))
    assert woken.ledger.pods == {}
    feed.upsert_manifest(pod(phase="Failed"))
    assert woken.times == 2


def test_nodes_and_namespaces_are_stored_by_name(woken: Woken) -> None:
    node = {"metadata": {"name": "n-1"}, "status": {"allocatable": {"cpu": "8"}}}
    ledger_handlers.of_nodes(woken.ledger, woken.touch).upsert_manifest(node)
    ledger_handlers.of_namespaces(woken.ledger, woken.touch).upsert_manifest(
        {"metadata": {"name": "team"}}
    )
    assert woken.ledger.nodes["n-1"].allocatable == {"cpu": 8000}
    assert not woken.ledger.namespaces["team"].terminating


def test_a_malformed_quota_is_stored_with_its_fault(woken: Woken) -> None:
    feed = ledger_handlers.of_quotas(woken.ledger, woken.touch)
    quota: dict[str, Any] = {
        "metadata": {"namespace": "team", "name": "a", "uid": "u1"},
        "spec": {"min": {"cpu": 4}},
    }
    feed.upsert_manifest(quota)
    feed.upsert_manifest({**quota, "spec": {"min": "four"}})
    found = woken.ledger.quotas[Key("team", "a")]
    assert (found.min, tuple(map(str, found.faults))) == (
        {},
        ("spec.min: must be a map, got 'four'",),
    )
    assert woken.times == 2


def test_an_object_without_the_shape_of_its_kind_is_reported_and_its_last_state_stays(
    woken: Woken,
) -> None:
    feed = ledger_handlers.of_pods(woken.ledger, woken.touch)
    feed.upsert_manifest(pod())
    with capture_logs() as logs:
        feed.upsert_manifest({**pod(), "spec": "none"})
    assert [(each["event"], each["object"]) for each in logs] == [("undecodable object", "team/a")]
    assert Key("team", "a") in woken.ledger.pods
    assert woken.times == 1


def test_a_manifest_store_feeds_the_ledger(woken: Woken) -> None:
    feed = ledger_handlers.of_quotas(woken.ledger, woken.touch)
    feed.on_change(Key("team", "a"), None, {"metadata": {"namespace": "team", "name": "a"}})
    assert Key("team", "a") in woken.ledger.quotas
    feed.on_change(Key("team", "a"), {}, None)
    assert not woken.ledger.quotas


def test_an_unknown_object_can_be_removed(woken: Woken) -> None:
    ledger_handlers.of_profiles(woken.ledger, woken.touch).delete(
        reflector.ObjectKey("team", "a", "")
    )
    assert woken.times == 0
