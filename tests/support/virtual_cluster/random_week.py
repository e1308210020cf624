"""A week of ordinary operation in virtual time, with seeded random events.

Demand exceeds the capacity for most of the time, but does not grow without end: while many pods
wait, no more are submitted.
"""

from random import Random
from typing import Final

from virtual_cluster.disturbances import Disturbances
from virtual_cluster.timeline import MINUTE


LENGTH: Final = 10_000 * MINUTE
_MANY: Final = 20
"""With so many waiting pods, no more are submitted."""
_KINDS: Final = {"submit": 70, "withdraw": 6, "lose_or_bring": 2, "edit": 2, "restart": 2}


def play(disturbances: Disturbances, dice: Random, *, pause: int, length: int = LENGTH) -> None:
    """Run the events, one every ``pause`` milliseconds on average."""
    scene = disturbances.scene
    end = scene.timeline.now + length
    while scene.timeline.now < end:
        many_wait = sum(pod.gated for pod in scene.cluster.pods.values()) >= _MANY
        kinds = [kind for kind in _KINDS if not (many_wait and kind == "submit")]
        (kind,) = dice.choices(kinds, [_KINDS[kind] for kind in kinds])
        disturbances.disturb(kind, dice)
        scene.play(int(dice.expovariate(1 / pause)))
