"""Adds the devices that nodes offer to what is allocatable on them (placement 4).

* Which devices count for which class: ``class_offers``.
* A device that only one node can use counts on that node. A device that several nodes can use is
  room on each of them, and counts once in a total: on the first of these nodes by name.
* A node that itself reports the extended resource of a class has a device plugin; its number stays.
"""

from collections import Counter
from typing import Final

from elasticquota.devices import keys, pools
from elasticquota.devices.class_offers import ClassOffers, Matches, PoolKey
from elasticquota.devices.pools import DevicePool
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.claims import ClassDemand, DeviceClass
from elasticquota.model.devices import Reach, Slice
from elasticquota.model.node import Node
from elasticquota.structs import replace


_NOTHING: Final[Counter[str]] = Counter()


class NodeDevices:
    """Takes nodes, classes and slices; ``flush`` brings the nodes of the ledger up to date."""

    def __init__(self, ledger: Ledger, matches: Matches) -> None:
        self._ledger = ledger
        self._nodes: dict[str, Node] = {}
        """All nodes as written."""
        self._offers = ClassOffers(matches)
        self._slices: dict[str, Slice] = {}
        self._slices_of: dict[PoolKey, set[str]] = {}
        self._pools: dict[PoolKey, DevicePool] = {}
        self._dirty_pools: set[PoolKey] = set()
        self._dirty_nodes: set[str] = set()
        self._by_node: dict[str, set[PoolKey]] = {}
        self._wide: set[PoolKey] = set()
        """Pools with devices that several nodes can use."""
        self._dirty_wide = False
        self._of_wide: dict[str, Counter[str]] = {}
        self._counted_elsewhere: dict[str, Counter[str]] = {}
        self._by_class: dict[str, Counter[str]] = {}
        """Node -> class -> devices that can be used from it, as of the last ``flush``."""
        self._stale = True
        self.demand = ClassDemand()
        """How claims count, as of the last ``flush``."""

    def node(self, name: str) -> Node | None:
        """Return a node as it was written; None: there is none."""
        return self._nodes.get(name)

    def device_class(self, name: str) -> DeviceClass | None:
        """Return a class; None: there is none."""
        return self._offers.classes.get(name)

    def slice(self, name: str) -> Slice | None:
        """Return a slice; None: there is none."""
        return self._slices.get(name)

    def reports(self) -> dict[str, str]:
        """Return class -> why its devices, or some of them, do not count."""
        return self._offers.reports()

    def upsert_node(self, node: Node) -> None:
        """Take in a node."""
        before = self._nodes.get(node.name)
        self._nodes[node.name] = node
        self._dirty_nodes.add(node.name)
        self._moved(before, node)

    def delete_node(self, name: str) -> None:
        """Take in that a node is gone."""
        before = self._nodes.pop(name, None)
        self._by_class.pop(name, None)
        self._ledger.delete_node(name)
        self._moved(before, None)

    def upsert_class(self, found: DeviceClass) -> None:
        """Take in a class."""
        self._offers.classes[found.name] = found
        self._class_changed(found.name)

    def delete_class(self, name: str) -> None:
        """Take in that a class is gone."""
        self._offers.classes.pop(name, None)
        self._class_changed(name)

    def upsert_slice(self, found: Slice) -> None:
        """Take in a slice."""
        self.delete_slice(found.name)
        self._slices[found.name] = found
        self._slices_of.setdefault((found.driver, found.pool), set()).add(found.name)
        self._dirty_pools.add((found.driver, found.pool))

    def flush(self) -> bool:
        """Bring the nodes of the ledger up to date; return whether one changed."""
        for pool in sorted(self._dirty_pools):
            self._count(pool)
        self._dirty_pools.clear()
        if self._dirty_wide:
            self._spread()
        for name in self._dirty_nodes:
            devices = self._devices(name) if name in self._nodes else None
            if devices:
                self._by_class[name] = devices
            else:
                self._by_class.pop(name, None)
        if self._stale:
            before, self.demand = self.demand, self._demand()
            if (before.extended, before.uncounted) != (self.demand.extended, self.demand.uncounted):
                self._dirty_nodes.update(self._by_class)
        self._stale = False
        changed = False
        for name in sorted(self._dirty_nodes):
            node = self._nodes.get(name)
            if node is not None:
                counted = self._counted(node)
                if counted != self._ledger.nodes.get(name):
                    self._ledger.upsert_node(counted)
                    changed = True
        self._dirty_nodes.clear()
        return changed

    def _moved(self, before: Node | None, now: Node | None) -> None:
        """Note that a node may be in reach of other devices."""
        if before is None or now is None:
            self._stale = True
            self._dirty_wide = self._dirty_wide or bool(self._wide)
        else:
            self._stale = self._stale or before.allocatable != now.allocatable
            if self._wide and before.labels != now.labels:
                self._dirty_wide = True

    def _class_changed(self, name: str) -> None:
        self._stale = True
        self._offers.forget_class(name)
        self._dirty_pools.update(self._pools)
        self._dirty_nodes.update(self._by_node)
        self._dirty_wide = self._dirty_wide or bool(self._wide)

    def delete_slice(self, name: str) -> None:
        """Take in that a slice is gone, if it was there."""
        before = self._slices.pop(name, None)
        if before is not None:
            pool = (before.driver, before.pool)
            self._slices_of[pool].discard(name)
            self._dirty_pools.add(pool)

    def _count(self, key: PoolKey) -> None:
        """Match the devices of a pool again, as far as pool or classes changed."""
        self._stale = True
        slices = [self._slices[name] for name in self._slices_of.get(key, ())]
        pool = pools.newest(slices) if slices else DevicePool()
        if pool is None:
            pool = self._pools.get(key, DevicePool())
        if pool != self._pools.get(key):
            self._unplace(key)
            self._offers.forget_pool(key)
        if not slices:
            self._pools.pop(key, None)
            self._slices_of.pop(key, None)
            return
        self._pools[key] = pool
        self._offers.count(key, pool)
        self._place(key, pool)

    def _place(self, key: PoolKey, pool: DevicePool) -> None:
        for device in pool.devices:
            if device.reach.node:
                self._by_node.setdefault(device.reach.node, set()).add(key)
                self._dirty_nodes.add(device.reach.node)
            else:
                self._wide.add(key)
                self._dirty_wide = True

    def _unplace(self, key: PoolKey) -> None:
        for device in self._pools.get(key, DevicePool()).devices:
            name = device.reach.node
            if name:
                self._dirty_nodes.add(name)
                self._by_node.get(name, set()).discard(key)
        if key in self._wide:
            self._wide.discard(key)
            self._dirty_wide = True

    def _spread(self) -> None:
        """Find the nodes of devices that several nodes can use."""
        self._dirty_wide = False
        self._dirty_nodes.update(self._of_wide)
        by_reach: dict[Reach, Counter[str]] = {}
        for key in self._wide:
            for name, offered in self._offers.of_pool(key).items():
                for reach, count in offered.items():
                    if not reach.node:
                        by_reach.setdefault(reach, Counter())[name] += count
        self._of_wide, self._counted_elsewhere = {}, {}
        for reach, devices in by_reach.items():
            names = [name for name in sorted(self._nodes) if _reaches(reach, self._nodes[name])]
            for name in names:
                self._of_wide.setdefault(name, Counter()).update(devices)
            for name in names[1:]:
                self._counted_elsewhere.setdefault(name, Counter()).update(devices)
        self._dirty_nodes.update(self._of_wide)

    def _devices(self, name: str) -> Counter[str]:
        """Return class -> devices that can be used from a node."""
        found: Counter[str] = Counter(self._of_wide.get(name))
        for key in self._by_node.get(name, ()):
            for each, offered in self._offers.of_pool(key).items():
                found[each] += sum(n for reach, n in offered.items() if reach.node == name)
        return found

    def _counted(self, node: Node) -> Node:
        uncounted, extended = self.demand.uncounted, self.demand.extended
        devices = self._by_class.get(node.name, _NOTHING)
        elsewhere = self._counted_elsewhere.get(node.name, _NOTHING)
        allocatable, shared = dict(node.allocatable), dict[str, int]()
        counted: set[str] = set()
        for name, count in sorted(devices.items()):
            if name in uncounted or not count:
                continue
            named = [keys.of_class(name)]
            if name in extended and not node.allocatable.get(extended[name]):
                named.append(extended[name])
            counted.update(named)
            for resource in named:
                allocatable[resource] = count
                if elsewhere[name]:
                    shared[resource] = elsewhere[name]
        for resource in node.allocatable:
            if resource.endswith(keys.SUFFIX) and resource not in counted:
                del allocatable[resource]  # only slices say which devices a node has
        if not counted and len(allocatable) == len(node.allocatable):
            return node
        return replace(node, allocatable=allocatable, shared=shared)

    def _demand(self) -> ClassDemand:
        largest: dict[str, int] = {}
        for devices in self._by_class.values():
            for each, count in devices.items():
                largest[each] = max(count, largest.get(each, 0))
        extended = self._offers.extended()
        served: dict[str, frozenset[str]] = {}
        for resource in extended.values():
            plugin = [each.name for each in self._nodes.values() if each.allocatable.get(resource)]
            if plugin:
                served[resource] = frozenset(plugin)
        known = frozenset(self._offers.classes)
        return ClassDemand(largest, extended, self._offers.uncounted(), served, known)


def _reaches(reach: Reach, node: Node) -> bool:
    return reach.everywhere or any(term.holds(node) for term in reach.terms or ())
