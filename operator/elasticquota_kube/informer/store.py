"""A store keeps the values of all objects of one kind (client-go's ``Store`` and ``Lister``).

It may be some milliseconds late. While the API server is away it is stale but complete. An object
that cannot be decoded keeps its last good value.
"""

from collections.abc import Callable, Collection, Mapping

from elasticquota.model.key import Key
from elasticquota_kube.informer.handler import InformerHandler, M, OnChange, V, ignore


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
