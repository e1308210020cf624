"""Scenes in which a pod waited without end although there was room; the laws at rest found them."""

from virtual_cluster.scene import Scene
from virtual_cluster.timeline import MINUTE


def test_a_guarantee_that_nodes_no_longer_cover_keeps_no_room_idle() -> None:
    """Of min 6 and 2 on 4 cpus, 3 and 1 are in force: the min cannot admit a pod of 2."""
    scene = Scene(nodes=1, cpu=4)
    scene.quota("large", min=6)
    scene.quota("small", min=2)
    scene.run("first", "large", cpu=3)
    scene.run("beyond", "small", cpu=2)
    scene.play(MINUTE)
    scene.run("next", "large", cpu=1)
    scene.settle()
    assert scene.runs_of("next") == 1


def test_a_more_important_pod_takes_a_fair_share_of_others_before_the_place_of_its_own() -> None:
    """Its quota has a runtime of 4 and holds 3; green holds 2 of its 1.33 by a single pod."""
    scene = Scene(nodes=1, cpu=8)
    scene.quota("dept", min=3, is_parent=True)
    scene.quota("blue", parent="dept")
    for name in ("red", "green"):
        scene.quota(name)
        scene.run(name, name, cpu=2)
    scene.quota("loner")
    scene.run("loner", "loner", cpu=1)
    scene.run("low", "blue", 3)
    scene.play(MINUTE)
    scene.run("high", "blue", priority=1)
    scene.settle()
    assert scene.used() == {"red": 2, "green": 0, "loner": 1, "blue": 4}
    assert scene.runs_of("high") == 1
