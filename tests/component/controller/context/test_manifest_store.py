"""The store keeps the newest state of each object, and deleted objects do not come back."""

from typing import Any

import msgspec
import pytest

from elasticquota.model.key import Key
from elasticquota_kube.informer import reflector
from elasticquota_operator.context import manifest_store
from elasticquota_operator.context.manifest_store import Manifest, ManifestStore


KEY = Key("team", "a")


def quota(version: int, uid: str = "u1", name: str = "a") -> dict[str, Any]:
    metadata = {"namespace": "team", "name": name, "uid": uid, "resourceVersion": str(version)}
    return {"metadata": metadata}


class Watched(msgspec.Struct):
    metadata: dict[str, Any]


class Heard:
    def __init__(self) -> None:
        self.words: list[str] = []
        self.store = ManifestStore(self._hear)

    def _hear(self, key: Key, _before: Manifest | None, now: Manifest | None) -> None:
        word = f"drop {key}" if now is None else f"put {now['metadata']['resourceVersion']}"
        self.words.append(word)

    def drop(self, manifest: Manifest) -> bool:
        return self.store.delete(manifest_store.identity(manifest))


@pytest.fixture
def heard() -> Heard:
    return Heard()


def test_an_older_state_never_replaces_a_newer_one(heard: Heard) -> None:
    assert heard.store.upsert(quota(5))
    assert not heard.store.upsert(quota(4))
    assert not heard.store.upsert(quota(5)), "the echo of what we know is no news"
    assert heard.store.get(KEY) == quota(5)
    assert heard.words == ["put 5"]


def test_a_deletion_of_the_predecessor_leaves_the_successor(heard: Heard) -> None:
    heard.store.upsert(quota(5, uid="u2"))
    assert not heard.drop(quota(4, uid="u1"))
    assert heard.store.get(KEY) is not None


@pytest.mark.parametrize("name", ["b", "a"], ids=["another", "a namesake"])
def test_a_sweep_drops_vanished_objects_and_adds_missed_ones(heard: Heard, name: str) -> None:
    heard.store.upsert(quota(1))
    known = heard.store.start_list()
    assert heard.store.finish_list(known, [quota(7, uid="u7", name=name)]) == 2
    assert heard.words == ["put 1", "drop team/a", "put 7"]


def test_an_object_created_during_a_sweep_stays(heard: Heard) -> None:
    known = heard.store.start_list()
    heard.store.upsert(quota(9))
    assert heard.store.finish_list(known, []) == 0
    assert heard.store.get(KEY) is not None


def test_an_object_deleted_during_a_sweep_does_not_come_back(heard: Heard) -> None:
    heard.store.upsert(quota(1))
    known = heard.store.start_list()
    heard.drop(quota(2))
    assert heard.store.finish_list(known, [quota(1)]) == 0
    assert heard.store.get(KEY) is None


def test_a_list_with_an_older_state_than_was_known_before_shows_a_store_that_was_set_back(
    heard: Heard,
) -> None:
    heard.store.upsert(quota(5))
    known = heard.store.start_list()
    heard.store.upsert(quota(9))
    assert not heard.store.is_ahead(known, [quota(5)]), "it changed while the list was read"
    assert heard.store.is_ahead(known, [quota(4)])


def test_an_object_that_comes_back_shows_a_store_that_was_set_back(heard: Heard) -> None:
    heard.store.upsert(quota(1))
    heard.drop(quota(1))
    assert heard.store.is_ahead(heard.store.start_list(), [quota(1)])
    heard.store.upsert(quota(2, uid="u2"))
    known = heard.store.start_list()
    heard.drop(quota(2, uid="u2"))
    assert not heard.store.is_ahead(known, [quota(2, uid="u2")]), "it went while the list was read"


def test_a_late_answer_to_a_write_does_not_restore_a_deleted_object(heard: Heard) -> None:
    heard.store.upsert(quota(1))
    heard.drop(quota(3))
    assert not heard.store.upsert(quota(2))
    assert heard.store.get(KEY) is None
    assert heard.store.upsert(quota(4, uid="u2")), "its successor is another object"


def test_the_number_of_remembered_deletions_is_limited(
    heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest_store, "REMEMBERED", 1)
    for uid in ("u1", "u2"):
        heard.drop(quota(1, uid=uid))
    assert not heard.store.upsert(quota(2, uid="u2"))
    assert heard.store.upsert(quota(2, uid="u1"))


def test_managed_fields_are_not_stored(heard: Heard) -> None:
    written = quota(5)
    written["metadata"]["managedFields"] = [{"manager": "kubectl"}]
    assert heard.store.upsert(written)
    assert heard.store.get(KEY) == quota(5)
    assert "managedFields" in written["metadata"], "what was handed in is another's"


def test_an_object_of_a_watch_is_stored_as_a_document(heard: Heard) -> None:
    assert heard.store.upsert(msgspec.convert(quota(5), Watched))
    assert heard.store.get(KEY) == quota(5)
    assert not heard.store.delete(reflector.ObjectKey("team", "a", "u0")), "its predecessor"
    assert heard.store.delete(reflector.ObjectKey("team", "a", "u1"))
    assert heard.words == ["put 5", "drop team/a"]


def test_only_short_annotations_of_others_are_stored() -> None:
    kept = {
        "note": "short",
        "quota.scheduling.koordinator.sh/namespaces": "x" * 5_000,
        "elasticquota.dev/source": "x" * 5_000,
    }
    copied = {
        "kubectl.kubernetes.io/last-applied-configuration": "x" * 257,
        "mine/all": "x" * 9_999,
    }
    manifest = quota(5)
    manifest["metadata"] |= {"annotations": kept | copied, "managedFields": [{}]}
    seen: list[Any] = []
    store = ManifestStore(lambda _key, _before, now: seen.append(now), others=False)
    store.upsert(manifest)
    assert seen == [store.get(KEY)]
    assert seen[0]["metadata"] == quota(5)["metadata"] | {"annotations": kept}
    assert manifest["metadata"]["annotations"] == kept | copied, "the caller's object is its own"
