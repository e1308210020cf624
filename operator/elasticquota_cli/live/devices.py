"""Reads the claims, templates, classes and slices of devices (DRA) of a live cluster."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from elasticquota import names
from elasticquota.devices.tracker import DeviceTracker
from elasticquota.ledger.ledger import Ledger
from elasticquota.wire.codec.metadata import StatusManifest
from elasticquota.wire.devices import claims, classes, slices
from elasticquota_cel.selectors import DeviceSelectors
from elasticquota_cli.live import listing
from elasticquota_cli.simulate import claimed
from elasticquota_cli.simulate.objects import DeviceObject
from elasticquota_config.model import Configuration
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.paths import Resource
from elasticquota_kube.client.rest.errors import ApiError


_PLURALS: Final = ("deviceclasses", "resourceslices", "resourceclaimtemplates", "resourceclaims")
_READERS: Final[Sequence[Callable[[StatusManifest], DeviceObject]]] = (
    classes.read,
    slices.read,
    claims.read_template,
    claims.read,
)


class LiveDevices:
    """What was read; ``tracker`` gives a ledger that counts it."""

    def __init__(self, listed: Sequence[Sequence[StatusManifest]], notes: Sequence[str]) -> None:
        self._listed = listed
        self.notes = list(notes)

    def tracker(self, ledger: Ledger) -> DeviceTracker:
        """Return the way of pods and nodes into ``ledger``; call its ``flush`` at the end."""
        found = DeviceTracker(ledger, DeviceSelectors().matches)
        for each in self.objects():
            claimed.store(found, each)
        if self._listed:
            found.pods.follow()
        return found

    def objects(self) -> Iterator[DeviceObject]:
        """What was read, classes first and claims last."""
        for kind, listed in zip(_READERS, self._listed, strict=False):
            yield from map(kind, listed)


async def read(api: Api, chosen: Configuration) -> LiveDevices:
    """Read all; nothing if they are switched off or not served."""
    if chosen.dra == "off":
        return LiveDevices((), ())
    listed: list[list[StatusManifest]] = []
    notes: list[str] = []
    for plural in _PLURALS:
        resource = Resource(names.DEVICE_GROUP, names.DEVICE_VERSION, plural)
        try:
            devices = await listing.of(api, resource, into=StatusManifest)
        except ApiError:
            return LiveDevices((), ())
        if devices is None:
            text = f"you may not read {plural}: the devices that pods claim are not known here"
            return LiveDevices((), (text,))
        listed.append(list(devices))
    return LiveDevices(listed, notes)
