"""A department of three teams, one team beside it, and all the weather that they can meet."""

from virtual_cluster.controller import Troubles
from virtual_cluster.scene import Scene
from virtual_cluster.weather import Weather
from worlds import ROOT


TEAMS = ("red", "green", "blue")


def weather(
    nodes: int, *, seed: int = 0, troubles: Troubles | None = None, longest: int = 0
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
        longest=longest,
        homes=dict.fromkeys(TEAMS, "dept"),
    )
