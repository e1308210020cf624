"""The sinks of reflectors: handlers, stores, and a fan to several of them.

A handler has the calls of client-go's ``ResourceEventHandler`` for the values that are read from
the objects of one kind. A store keeps the values (client-go's ``Store`` and ``Lister``). It may be
some milliseconds late. While the API server is away it is stale but complete. An object that cannot
be decoded keeps its last good value: the reflector reports it, and calls no sink.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Generic, TypeVar

from elasticquota.model.key import Key
from elasticquota_kube.informer import reflector
from elasticquota_kube.informer.reflector import Sink


M = TypeVar("M", bound=reflector.WatchedObject)
V = TypeVar("V")
T_contra = TypeVar("T_contra", contravariant=True)

OnChange = Callable[[Key, V | None, V | None], object]
"""Called with a key, its value before and its value now; None: there was or is no value."""


def ignore(*_: object) -> None:
    """Do nothing."""


class InformerHandler(Generic[M, V]):
    """A sink of reflectors: it calls ``on_change`` for each value that differs.

    ``read`` makes the value of an object, or None for an object that does not count. ``get``
    returns the value as it is known, ``on_synced`` is called after each full read.
    """

    def __init__(
        self,
        read: Callable[[M], V | None],
        get: Callable[[Key], V | None],
        on_change: OnChange[V],
        on_synced: Callable[[], None] = ignore,
    ) -> None:
        self._read = read
        self._get = get
        self._on_change = on_change
        self._on_synced = on_synced

    def upsert(self, obj: M, /) -> bool:
        """Take in a new or changed object; return whether its value differs."""
        metadata = obj.metadata
        return self._change(Key(metadata.namespace, metadata.name), self._read(obj))

    def delete(self, key: reflector.ObjectKey, /) -> bool:
        """Take in that an object is gone; return whether it had a value."""
        return self._change(Key(key.namespace, key.name), None)

    def synced(self) -> None:
        """Take in that everything that exists has been delivered."""
        self._on_synced()

    def _change(self, key: Key, now: V | None) -> bool:
        before = self._get(key)
        if before == now:
            return False
        self._on_change(key, before, now)
        return True


class Store(InformerHandler[M, V]):
    """A sink of reflectors that keeps the values; ``on_change`` is called when one is replaced."""

    def __init__(
        self,
        read: Callable[[M], V | None],
        on_change: OnChange[V] = ignore,
        on_synced: Callable[[], None] = ignore,
    ) -> None:
        self._values: dict[Key, V] = {}
        self._on_replaced = on_change
        self.has_synced = False
        """Whether everything that existed at the start is here."""
        super().__init__(read, self._values.get, self._replace, on_synced)

    @property
    def values(self) -> Mapping[Key, V]:
        """All values by key; a live view."""
        return self._values

    def get(self, key: Key) -> V | None:
        """Return the value of one object."""
        return self._values.get(key)

    def list(self) -> Collection[V]:
        """Return all values; a live view."""
        return self._values.values()

    def synced(self) -> None:
        """Take in that everything that exists has been delivered."""
        self.has_synced = True
        super().synced()

    def _replace(self, key: Key, before: V | None, now: V | None) -> None:
        if now is None:
            del self._values[key]
        else:
            self._values[key] = now
        self._on_replaced(key, before, now)


class FanOut(Generic[T_contra]):
    """A sink that passes everything on to several sinks."""

    def __init__(self, *sinks: Sink[T_contra]) -> None:
        self._sinks = sinks

    def upsert(self, obj: T_contra, /) -> None:
        """Pass on a new or changed object."""
        for sink in self._sinks:
            sink.upsert(obj)

    def delete(self, key: reflector.ObjectKey, /) -> None:
        """Pass on that an object is gone."""
        for sink in self._sinks:
            sink.delete(key)

    def synced(self) -> None:
        """Pass on that everything that exists has been delivered."""
        for sink in self._sinks:
            sink.synced()
