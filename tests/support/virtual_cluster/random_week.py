"""A season is a week of ordinary life in virtual time: things happen at random, but seeded.

Demand is higher than what there is for most of the time, but not without end: while many pods wait
nobody submits more.
"""

from random import Random
from typing import Final

from virtual_cluster.disturbances import Weather
from virtual_cluster.timeline import MINUTE


LENGTH: Final = 10_000 * MINUTE
_CROWD: Final = 20
"""As many waiting pods keep others from submitting."""
_KINDS: Final = {"submit": 70, "withdraw": 6, "lose_or_bring": 2, "edit": 2, "restart": 2}


def play(weather: Weather, dice: Random, *, pause: int, length: int = LENGTH) -> None:
    """Changes come every ``pause`` milliseconds on average."""
    scene = weather.scene
    end = scene.agenda.now + length
    while scene.agenda.now < end:
        crowded = sum(pod.gated for pod in scene.cluster.pods.values()) >= _CROWD
        kinds = [kind for kind in _KINDS if not (crowded and kind == "submit")]
        (kind,) = dice.choices(kinds, [_KINDS[kind] for kind in kinds])
        weather.happen(kind, dice)
        scene.play(int(dice.expovariate(1 / pause)))
