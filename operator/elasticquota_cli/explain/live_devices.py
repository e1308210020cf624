"""Reads the claims, templates, classes and slices of devices (DRA) of a live cluster."""

from collections.abc import Sequence
from typing import Final

from elasticquota.devices.tracker import DeviceTracker
from elasticquota.ledger.ledger import Ledger
from elasticquota.wire.devices import claims, classes, manifests, slices
from elasticquota.wire.devices.manifests import Manifest
from elasticquota_cel.selectors import DeviceSelectors
from elasticquota_cli import listing
from elasticquota_config.model import Configuration
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.errors import ApiError
from elasticquota_kube.client.paths import Resource


_PLURALS: Final = ("deviceclasses", "resourceslices", "resourceclaimtemplates", "resourceclaims")


class LiveDevices:
    """What was read; ``tracker`` gives a ledger that counts it."""

    def __init__(self, listed: Sequence[Sequence[Manifest]], notes: Sequence[str]) -> None:
        self._listed = listed
        self.notes = list(notes)

    def tracker(self, ledger: Ledger) -> DeviceTracker:
        """Return the way of pods and nodes into ``ledger``; call its ``flush`` at the end."""
        found = DeviceTracker(ledger, DeviceSelectors().matches)
        if self._listed:
            of_classes, of_slices, of_templates, of_claims = self._listed
            for manifest in of_classes:
                found.nodes.upsert_class(classes.read(manifest))
            for manifest in of_slices:
                found.nodes.upsert_slice(slices.read(manifest))
            for manifest in of_templates:
                found.pods.upsert_template(claims.read_template(manifest))
            for manifest in of_claims:
                found.pods.upsert_claim(claims.read(manifest))
            found.pods.follow()
        return found


async def read(api: Api, chosen: Configuration) -> LiveDevices:
    """Read all; nothing if they are switched off or not served."""
    if chosen.dra == "off":
        return LiveDevices((), ())
    listed: list[list[Manifest]] = []
    notes: list[str] = []
    for plural in _PLURALS:
        resource = Resource(manifests.GROUP, manifests.VERSION, plural)
        try:
            found = await listing.of(api, resource, into=Manifest)
        except ApiError:
            return LiveDevices((), ())
        if found is None:
            text = f"you may not read {plural}: the devices that pods claim are not known here"
            return LiveDevices((), (text,))
        listed.append(list(found))
    return LiveDevices(listed, notes)
