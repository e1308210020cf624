"""A department of three teams, one team beside it, and all disturbances that they can meet."""

from collections.abc import Sequence

from virtual_cluster.controller import ApiFaults
from virtual_cluster.disturbances import Disturbances
from virtual_cluster.scene import SMOOTH, Scene
from virtual_cluster.timeline import MINUTE
from worlds import ROOT


TEAMS = ("red", "green", "blue")


def disturbances(
    nodes: int,
    *,
    seed: int = 0,
    faults: ApiFaults = SMOOTH,
    endless: int = 100,
) -> Disturbances:
    """All disturbances, on nodes of 8 cpus, of which two may be lost."""
    return Disturbances(
        _scene(nodes, 2, seed, faults),
        teams=(*TEAMS, "loner"),
        parents=("dept", ROOT),
        nodes=("node-0", "node-1"),
        sizes=(1, 2, 3),
        longest=30 * MINUTE,
        endless=endless,
        homes=dict.fromkeys(TEAMS, "dept"),
    )


def steady(
    nodes: int,
    *,
    faults: ApiFaults = SMOOTH,
    sizes: Sequence[int] = (1, 2, 3),
    priorities: Sequence[int] = (0, 1),
) -> Disturbances:
    """Only users change demand: every pod is created again and may be evicted."""
    return Disturbances(
        _scene(nodes, 2, 0, faults),
        teams=(*TEAMS, "loner"),
        sizes=sizes,
        priorities=priorities,
        firm=0,
        bare=0,
        highest_min=3,
        homes=dict.fromkeys(TEAMS, "dept"),
    )


def even(*, seed: int, faults: ApiFaults, grace: int) -> Disturbances:
    """Pods of 1 cpu in Jobs of up to ten hours; all mins together fit two of the three nodes."""
    return Disturbances(
        _scene(3, 3, seed, faults),
        teams=(*TEAMS, "loner"),
        nodes=("node-0",),
        sizes=(1,),
        longest=600 * MINUTE,
        endless=0,
        graces=(0, grace),
        priorities=(0,),
        firm=0,
        highest_min=3,
        homes=dict.fromkeys(TEAMS, "dept"),
    )


def _scene(nodes: int, low: int, seed: int, faults: ApiFaults) -> Scene:
    scene = Scene(nodes, cpu=8, seed=seed, faults=faults)
    scene.quota("dept", min=10, is_parent=True)
    for team in TEAMS:
        scene.quota(team, min=low, parent="dept")
    scene.quota("loner", min=low)
    return scene
