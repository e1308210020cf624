"""A store keeps one value per object, and calls back only for values that differ."""

import msgspec

from elasticquota.model.key import Key
from elasticquota.wire.codec.metadata import ObjectMeta
from elasticquota_kube.informer import reflector
from elasticquota_kube.informer.store import FanOut, Store


class Thing(msgspec.Struct):
    metadata: ObjectMeta
    size: int | None = None


def thing(name: str, size: int | None, version: str = "1") -> Thing:
    return Thing(ObjectMeta(name=name, namespace="team", resource_version=version), size)


def key(name: str) -> reflector.ObjectKey:
    return reflector.ObjectKey("team", name, "uid")


class Sizes(Store[Thing, int]):
    """The sizes of things; a thing without a size does not count."""

    def __init__(self) -> None:
        self.changes: list[tuple[str, int | None, int | None]] = []
        self.readings = 0
        super().__init__(lambda obj: obj.size, self._changed, self._read_all)

    def _changed(self, key: Key, before: int | None, now: int | None) -> None:
        assert self.get(key) == now
        self.changes.append((key.name, before, now))

    def _read_all(self) -> None:
        self.readings += 1


def test_values_are_kept_by_key_and_listed() -> None:
    sizes = Sizes()
    assert sizes.upsert(thing("a", 1))
    assert sizes.upsert(thing("b", 0))
    assert sizes.get(Key("team", "b")) == 0
    assert sizes.get(Key("other", "b")) is None
    assert [*sizes.list()] == [1, 0]
    assert sizes.values == {Key("team", "a"): 1, Key("team", "b"): 0}


def test_only_another_value_is_a_change() -> None:
    sizes = Sizes()
    sizes.upsert(thing("a", 1))
    assert not sizes.upsert(thing("a", 1, version="2"))
    assert sizes.upsert(thing("a", 2, version="3"))
    assert sizes.changes == [("a", None, 1), ("a", 1, 2)]


def test_an_object_that_no_longer_counts_is_removed_like_a_deleted_one() -> None:
    sizes = Sizes()
    sizes.upsert(thing("a", 1))
    sizes.upsert(thing("b", 2))
    assert sizes.upsert(thing("a", None))
    assert sizes.delete(key("b"))
    assert not sizes.delete(key("b"))
    assert not sizes.values
    assert sizes.changes[2:] == [("a", 1, None), ("b", 2, None)]


def test_a_store_has_synced_after_the_first_full_reading() -> None:
    sizes = Sizes()
    assert (sizes.has_synced, sizes.readings) == (False, 0)
    sizes.synced()
    sizes.synced()
    assert (sizes.has_synced, sizes.readings) == (True, 2)


def test_one_watch_fills_several_stores_in_order() -> None:
    order: list[str] = []
    first: Store[Thing, int] = Store(lambda obj: obj.size, lambda *_: order.append("first"))
    second: Store[Thing, str] = Store(
        lambda obj: obj.metadata.resource_version, lambda *_: order.append("second")
    )
    both = FanOut(first, second)
    both.upsert(thing("a", 1))
    both.upsert(thing("a", 1, version="2"))
    both.delete(key("a"))
    both.synced()
    assert order == ["first", "second", "second", "first", "second"]
    assert first.has_synced
    assert second.has_synced
