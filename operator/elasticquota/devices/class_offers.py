"""Which devices of each pool count for each class (placement 4).

* A device counts for a class if all selectors of the class match it. ``matches`` answers that.
* A class counts nowhere, and is reported, if its selectors cannot be evaluated, or if one of its
  devices can be allocated several times at a time, so that no number is its capacity.
* A device for which a selector fails (an attribute that it lacks) does not count, and is reported:
  the scheduler cannot allocate it either.
"""

from collections import Counter
from collections.abc import Callable, Mapping

from elasticquota.devices.pools import DevicePool
from elasticquota.model.claims import DeviceClass
from elasticquota.model.devices import Device, Reach


class UnknownClassError(Exception):
    """The selectors of a class cannot be evaluated for any device; the text says why."""


class UnmatchedError(Exception):
    """A selector failed for one device; the text says why."""


Matches = Callable[[DeviceClass, Device], bool]
"""Whether all selectors of the class match; raises ``UnknownClassError``, ``UnmatchedError``."""

PoolKey = tuple[str, str]
"""Driver and pool."""


class ClassOffers:
    """Mutable; counts the devices of each pool once for each class."""

    def __init__(self, matches: Matches) -> None:
        self.classes: dict[str, DeviceClass] = {}
        """By name."""
        self._matches = matches
        self._offers: dict[PoolKey, dict[str, Counter[Reach]]] = {}
        """Pool -> class -> devices by reach."""
        self._reports: dict[PoolKey, dict[str, tuple[bool, str]]] = {}
        """Pool -> class -> whether the class is unknown, and why."""

    def of_pool(self, key: PoolKey) -> Mapping[str, Counter[Reach]]:
        """Return class -> devices by reach, as counted last."""
        return self._offers.get(key, {})

    def count(self, key: PoolKey, pool: DevicePool) -> None:
        """Match the devices of a pool, for the classes for which that was not done yet."""
        offers, reports = self._offers.setdefault(key, {}), self._reports.setdefault(key, {})
        for found in self.classes.values():
            if found.name not in offers:
                offers[found.name] = self._offered(pool, found, reports)

    def forget_pool(self, key: PoolKey) -> None:
        """Drop what was counted of a pool."""
        self._offers.pop(key, None)
        self._reports.pop(key, None)

    def forget_class(self, name: str) -> None:
        """Drop what was counted for a class."""
        for offers in self._offers.values():
            offers.pop(name, None)
        for reports in self._reports.values():
            reports.pop(name, None)

    def reports(self) -> dict[str, str]:
        """Return class -> why its devices, or some of them, do not count."""
        found = {each.name: str(each.faults[0]) for each in self.classes.values() if each.faults}
        for _, of_pool in sorted(self._reports.items()):
            for name, (_, why) in of_pool.items():
                found.setdefault(name, why)
        return found

    def uncounted(self) -> frozenset[str]:
        """Return the classes that count nowhere."""
        return frozenset(
            {each.name for each in self.classes.values() if each.faults}
            | {
                name
                for of_pool in self._reports.values()
                for name, (unknown, _) in of_pool.items()
                if unknown
            }
        )

    def extended(self) -> dict[str, str]:
        """Return class -> its extended resource, which of two classes the younger one has."""
        owner: dict[str, DeviceClass] = {}
        for each in sorted(self.classes.values(), key=lambda each: each.name, reverse=True):
            before = owner.get(each.extended)
            if each.extended and (before is None or each.created >= before.created):
                owner[each.extended] = each
        return {found.name: resource for resource, found in owner.items()}

    def _offered(
        self, pool: DevicePool, device_class: DeviceClass, reports: dict[str, tuple[bool, str]]
    ) -> Counter[Reach]:
        if device_class.faults:
            return Counter()
        matching = []
        for device in pool.devices:
            try:
                if self._matches(device_class, device):
                    matching.append(device)
            except UnknownClassError as error:
                reports[device_class.name] = (True, str(error))
                return Counter()
            except UnmatchedError as error:
                reports.setdefault(device_class.name, (False, f"device {device.name}: {error}"))
        for device in matching:
            if device.shared:
                why = f"device {device.name} can be allocated several times at a time"
                reports[device_class.name] = (True, why)
                return Counter()
        return pool.offered(matching)
