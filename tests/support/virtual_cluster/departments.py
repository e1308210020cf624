"""A department of three teams, one team beside it, and all the weather that they can meet."""

from collections.abc import Sequence

from virtual_cluster.controller import Troubles
from virtual_cluster.disturbances import Weather
from virtual_cluster.scene import SMOOTH, Scene
from virtual_cluster.timeline import MINUTE
from worlds import ROOT


TEAMS = ("red", "green", "blue")


def weather(
    nodes: int,
    *,
    seed: int = 0,
    troubles: Troubles = SMOOTH,
    sizes: Sequence[int] = (1, 2, 3),
    endless: int = 100,
) -> Weather:
    """On nodes of 8 cpus, of which two may be lost."""
    return Weather(
        _planted(nodes, 2, seed, troubles),
        teams=(*TEAMS, "loner"),
        parents=("dept", ROOT),
        nodes=("node-0", "node-1"),
        sizes=sizes,
        longest=30 * MINUTE,
        endless=endless,
        homes=dict.fromkeys(TEAMS, "dept"),
    )


def steady(
    nodes: int,
    *,
    seed: int = 0,
    troubles: Troubles = SMOOTH,
    sizes: Sequence[int] = (1, 2, 3),
    priorities: Sequence[int] = (0, 1),
) -> Weather:
    """Demand changes by users only: every pod is made anew and may be asked to leave."""
    return Weather(
        _planted(nodes, 2, seed, troubles),
        teams=(*TEAMS, "loner"),
        sizes=sizes,
        priorities=priorities,
        firm=0,
        bare=0,
        highest_min=3,
        homes=dict.fromkeys(TEAMS, "dept"),
    )


def even(*, seed: int, troubles: Troubles, grace: int) -> Weather:
    """Pods of 1 cpu in Jobs of up to ten hours; all min together fit two of the three nodes."""
    return Weather(
        _planted(3, 3, seed, troubles),
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


def _planted(nodes: int, low: int, seed: int, troubles: Troubles) -> Scene:
    scene = Scene(nodes, cpu=8, seed=seed, troubles=troubles)
    scene.quota("dept", min=10, is_parent=True)
    for team in TEAMS:
        scene.quota(team, min=low, parent="dept")
    scene.quota("loner", min=low)
    return scene
