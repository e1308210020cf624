"""Lets one watch fill several sinks, in order."""

from typing import Generic, TypeVar

from elasticquota_kube.informer.reflector import Key, Sink


T_contra = TypeVar("T_contra", contravariant=True)


class Fan(Generic[T_contra]):
    """A sink that passes everything on to several sinks."""

    def __init__(self, *sinks: Sink[T_contra]) -> None:
        self._sinks = sinks

    def upsert(self, obj: T_contra, /) -> None:
        """Pass on a new or changed object."""
        for sink in self._sinks:
            sink.upsert(obj)

    def delete(self, key: Key, /) -> None:
        """Pass on that an object is gone."""
        for sink in self._sinks:
            sink.delete(key)

    def synced(self) -> None:
        """Pass on that everything that exists has been delivered."""
        for sink in self._sinks:
            sink.synced()
