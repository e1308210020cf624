"""The newest complete generation of a pool, and what it offers at one time."""

import devices
from elasticquota.devices import pools
from elasticquota.devices.pools import DevicePool
from elasticquota.model.devices import Reach, Slice
from elasticquota.structs import replace


def part(name: str, generation: int, slices: int, *names: str) -> Slice:
    made = tuple(devices.device(each) for each in names)
    return Slice(name, "d", "p", generation, slices, made)


def of(pool: DevicePool | None) -> set[str]:
    assert pool is not None
    return {each.name for each in pool.devices}


def test_the_newest_generation_counts() -> None:
    assert of(pools.newest([part("a", 1, 1, "old"), part("b", 2, 1, "new")])) == {"new"}


def test_all_slices_of_a_generation_make_the_pool() -> None:
    assert of(pools.newest([part("a", 1, 2, "x"), part("b", 1, 2, "y")])) == {"x", "y"}


def test_a_pool_with_a_missing_slice_is_not_known() -> None:
    assert pools.newest([part("a", 1, 2, "x")]) is None
    assert pools.newest([part("a", 1, 1, "x"), part("b", 2, 2, "y")]) is None


def test_a_device_that_two_slices_list_counts_once() -> None:
    assert len(pools.newest([part("a", 1, 2, "x"), part("b", 1, 2, "x")]).devices) == 1  # type: ignore[union-attr]


def gpu(name: str, slots: int, start: int = 0) -> object:
    counters = tuple(sorted((("gpu-0", f"slot-{start + i}"), 1) for i in range(slots)))
    return replace(devices.device(name), counters=counters)


def test_partitions_and_their_whole_are_not_counted_together() -> None:
    counters = {("gpu-0", f"slot-{i}"): 1 for i in range(4)}
    parts = [gpu(f"small-{i}", 1, i) for i in range(4)]
    halves = [gpu(f"half-{i}", 2, 2 * i) for i in range(2)]
    whole = gpu("whole", 4)
    pool = DevicePool((whole, *halves, *parts), counters)  # type: ignore[arg-type]
    assert pool.offered([whole]).total() == 1  # type: ignore[list-item]
    assert pool.offered(halves).total() == 2  # type: ignore[arg-type]
    assert pool.offered(pool.devices).total() == 4
    assert pool.offered([whole, halves[0], parts[3]]).total() == 2  # type: ignore[list-item]


def test_a_device_whose_counters_do_not_exist_cannot_be_had() -> None:
    assert DevicePool((gpu("x", 1),)).offered([gpu("x", 1)]).total() == 0  # type: ignore[arg-type,list-item]


def test_devices_are_counted_by_the_nodes_that_can_use_them() -> None:
    here, there = devices.device("x"), devices.device("y", reach=Reach("node-1"))
    assert DevicePool((here, there)).offered([here, there]) == {
        Reach("node-0"): 1,
        Reach("node-1"): 1,
    }
