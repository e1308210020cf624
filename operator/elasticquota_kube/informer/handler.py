"""A handler turns the events of a reflector into changes of values (client-go's event handlers).

An event that leaves the value as it was is no change: kubelets and our own status writes would keep
the process busy.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

from elasticquota.model.key import Key
from elasticquota_kube.informer import reflector


M = TypeVar("M", bound=reflector.Manifest)
V = TypeVar("V")

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

    def delete(self, key: reflector.Key, /) -> bool:
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
