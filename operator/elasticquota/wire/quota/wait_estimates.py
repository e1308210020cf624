"""The wait estimate and the turnover of a quota, in its status and back.

Reading is total: what is not as we write it counts as absent, because a status may be edited.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from elasticquota import resources
from elasticquota.forecast import wording
from elasticquota.model import moments
from elasticquota.model.wait_estimate import PositionRange, Turnover, WaitEstimate
from elasticquota.wire.codec import amounts, fields


MOST_POSITIONS: Final = 16
LONGEST: Final = 10 * 365 * 86_400
"""Seconds."""
_LONGEST_MESSAGE: Final = 1024


def estimate(found: WaitEstimate) -> dict[str, Any]:
    """Return ``status.waitEstimate``."""
    written: dict[str, Any] = {"observedTime": moments.text(found.made_at)}
    if found.positions:
        written["expected"] = wording.expected(found.positions[0].range)
    written["message"] = found.message
    if found.positions:
        written["positions"] = [_position(each) for each in found.positions]
    return written


def turnover(found: Turnover) -> dict[str, Any]:
    """Return ``status.turnover``."""
    return {
        "since": moments.text(found.since),
        "observedTime": moments.text(found.at),
        "podsLastHour": found.pods_last_hour,
        "podsLastDay": found.pods_last_day,
        "freedLastHour": resources.text(found.freed_last_hour),
        "freedLastDay": resources.text(found.freed_last_day),
        "starts": found.starts,
        "startsInRange": found.starts_in_range,
    }


def read_estimate(status: Mapping[str, Any]) -> WaitEstimate | None:
    """Return the estimate in the status of a quota; None if there is no usable one."""
    written = status.get("waitEstimate")
    if not isinstance(written, Mapping):
        return None
    made_at = moments.read(fields.text(written.get("observedTime")))
    if made_at is None:
        return None
    message = written.get("message")
    return WaitEstimate(
        made_at=made_at,
        message=message if fields.is_text(message, _LONGEST_MESSAGE) else "",
        positions=tuple(_positions(written.get("positions"))),
    )


def read_turnover(status: Mapping[str, Any]) -> Turnover | None:
    """Return the turnover in the status of a quota; None if there is no usable one."""
    written = status.get("turnover")
    if not isinstance(written, Mapping):
        return None
    span = read_span(written)
    if span is None:
        return None
    since, at = span
    starts = _count(written.get("starts"))
    return Turnover(
        since=since,
        at=at,
        pods_last_hour=_count(written.get("podsLastHour")),
        pods_last_day=_count(written.get("podsLastDay")),
        freed_last_hour=amounts.stored(written.get("freedLastHour")),
        freed_last_day=amounts.stored(written.get("freedLastDay")),
        starts=starts,
        starts_in_range=min(starts, _count(written.get("startsInRange"))),
    )


def read_span(written: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the milliseconds of ``since`` and ``observedTime``; None if they are none."""
    since = moments.read(fields.text(written.get("since")))
    at = moments.read(fields.text(written.get("observedTime")))
    return None if since is None or at is None or since > at else (since, at)


def _position(found: PositionRange) -> dict[str, int]:
    written = {"position": found.position, "lowSeconds": found.low}
    return written if found.high is None else {**written, "highSeconds": found.high}


def _positions(written: object) -> Iterator[PositionRange]:
    """The entries up to the first that does not follow its predecessor."""
    before = PositionRange(0, 0, 0)
    for each in written[:MOST_POSITIONS] if isinstance(written, list) else ():
        found = _read_position(each)
        if found is None or not _follows(before, found):
            return
        yield found
        before = found


def _read_position(written: object) -> PositionRange | None:
    if not isinstance(written, Mapping):
        return None
    position, low = written.get("position"), written.get("lowSeconds")
    high = written.get("highSeconds")
    if not (fields.is_count(position) and fields.is_count(low, LONGEST)):
        return None
    if high is not None and not (fields.is_count(high, LONGEST) and high >= low):
        return None
    return PositionRange(position, low, high)


def _follows(before: PositionRange, found: PositionRange) -> bool:
    falls = found.high is not None and (before.high is None or found.high < before.high)
    return found.position > before.position and found.low >= before.low and not falls


def _count(value: object) -> int:
    return value if fields.is_count(value) else 0
