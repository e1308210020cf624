"""The pools of drivers: their newest complete generation, and what it offers at one time.

* A pool counts when all slices of its newest generation are there. While a driver replaces the
  slices, the last complete generation counts: a restart of a driver must not evict pods.
* Devices that share counters (partitions) cannot all be had at one time. The ones that take the
  least of the counters are counted first, as long as the counters last: the result is a set of
  devices that can be allocated together, so it is never too large.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from elasticquota.model.devices import Device, Reach, Slice
from elasticquota.structs import Struct, field


_SCALE = 10**6
"""Parts into which a counter is divided when devices are ordered by what they take."""


class DevicePool(Struct, frozen=True):
    """The devices of one complete generation."""

    devices: tuple[Device, ...] = ()
    counters: Mapping[tuple[str, str], int] = field(default_factory=dict)

    def offered(self, devices: Iterable[Device]) -> Counter[Reach]:
        """Return how many of ``devices``, which are of this pool, can be had at one time."""
        found: Counter[Reach] = Counter()
        left = dict(self.counters)
        for device in sorted(devices, key=self._taken):
            if all(left.get(name, 0) >= amount for name, amount in device.counters):
                for name, amount in device.counters:
                    left[name] -= amount
                found[device.reach] += 1
        return found

    def _taken(self, device: Device) -> tuple[int, str]:
        parts = (
            amount * _SCALE // self.counters[name] if self.counters.get(name) else _SCALE
            for name, amount in device.counters
        )
        return sum(parts), device.name


def newest(slices: Iterable[Slice]) -> DevicePool | None:
    """Return the newest generation of a pool; None: a slice of it is missing."""
    found = list(slices)
    last = max(each.generation for each in found)
    current = [each for each in found if each.generation == last]
    if any(each.slices != len(current) for each in current):
        return None
    devices: dict[str, Device] = {}
    counters: dict[tuple[str, str], int] = {}
    for each in sorted(current, key=lambda each: each.name):
        counters.update(each.counters)
        for device in each.devices:
            devices.setdefault(device.name, device)  # a name occurs once in a pool
    return DevicePool(tuple(devices.values()), counters)
