"""A department of three teams, one team beside it, and all the weather that they can meet."""

from virtual_cluster.agenda import MINUTE
from virtual_cluster.controller import Troubles
from virtual_cluster.scene import Scene
from virtual_cluster.weather import Weather
from worlds import ROOT


TEAMS = ("red", "green", "blue")


def weather(
    nodes: int, *, seed: int = 0, troubles: Troubles | None = None, endless: int = 100
) -> Weather:
    """On nodes of 8 cpus, of which two may be lost."""
    scene = Scene(nodes, cpu=8, seed=seed, troubles=troubles or Troubles())
    scene.quota("dept", min=10, is_parent=True)
    for team in TEAMS:
        scene.quota(team, min=2, parent="dept")
    scene.quota("loner", min=2)
    return Weather(
        scene,
        teams=(*TEAMS, "loner"),
        parents=("dept", ROOT),
        nodes=("node-0", "node-1"),
        endless=endless,
        homes=dict.fromkeys(TEAMS, "dept"),
    )


def even(*, seed: int, troubles: Troubles, grace: int) -> Weather:
    """Pods of 1 cpu in Jobs of up to ten hours; all min together fit two of the three nodes."""
    scene = Scene(3, cpu=8, seed=seed, troubles=troubles)
    scene.quota("dept", min=10, is_parent=True)
    for team in TEAMS:
        scene.quota(team, min=3, parent="dept")
    scene.quota("loner", min=3)
    return Weather(
        scene,
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
