"""What the events of waiting have in common: one of each reason on an object, the newest."""

from typing import NamedTuple

from elasticquota_kube.events import Recorder, Regarding


class Reported(NamedTuple):
    """How many events were recorded, and when the next one is due; None: nothing waits."""

    written: int
    next_at: float | None


def record(recorder: Recorder, regarding: Regarding, reason: str, note: str) -> bool:
    """Queue the event, also if it says what it said before; False if it was dropped."""
    return recorder.record(regarding, reason, note, action="Admit", latest=True, silence=0.0)
