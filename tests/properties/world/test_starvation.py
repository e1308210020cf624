"""Nobody waits for ever: in BestEffort queues small pods pass large ones, but not without end."""

from virtual_cluster.scene import Scene
from virtual_cluster.timeline import MINUTE


SMALL_RUNS = 5 * MINUTE


def large_among_small(stream: int) -> Scene:
    """Each minute a small pod comes and one ends; a large one waits for all 4 cpus of the node.

    The small ones come for ``stream`` milliseconds.
    """
    scene = Scene(nodes=1, cpu=4)
    scene.quota("team")
    for minute in range(stream // MINUTE):
        if minute == 10:
            scene.run("large", "team", cpu=4)
        scene.run(f"small-{minute}", "team", runs=SMALL_RUNS)
        scene.play(MINUTE)
    return scene


def test_a_large_pod_starts_when_no_small_ones_come_any_more() -> None:
    """With head-of-line protection it has to start amid the stream."""
    scene = large_among_small(stream=60 * MINUTE)
    scene.play(6 * SMALL_RUNS)
    assert scene.runs_of("large") == 1


def test_of_one_size_whoever_came_first_starts_first() -> None:
    scene = Scene(nodes=1, cpu=4)
    scene.quota("team")
    scene.quota("other")
    for minute in range(120):
        scene.run(f"a-{minute}", "team", runs=SMALL_RUNS)
        scene.run(f"b-{minute}", "other", runs=SMALL_RUNS)
        scene.play(MINUTE)
    for quota in ("team", "other"):
        order = [release.uid for _, release in scene.releases if release.quota == quota]
        numbers = [int(uid.split("-")[2]) for uid in order]
        assert len(numbers) > 40
        assert numbers == sorted(numbers)
