"""Ranges of time in words: ``10 to 40 min``. The ends are rounded outwards, never inwards."""

from typing import Final

from elasticquota.model.wait_estimate import WaitRange


_MINUTE: Final = 60
_HOUR: Final = 3600
_DAY: Final = 86_400


def expected(found: WaitRange) -> str:
    """Return ``10 to 40 min``, ``less than 1 min`` or ``at least 2 h``."""
    if found.high is None:
        return f"at least {_low(found.low)}" if found.low >= _MINUTE else "no upper limit known"
    if found.high <= _MINUTE:
        return "less than 1 min"
    if found.low < _MINUTE:
        return f"less than {_high(found.high)}"
    low, high = _low(found.low), _high(found.high)
    if low == high:
        return f"about {low}"
    number, _, unit = low.partition(" ")
    return f"{number} to {high}" if high.endswith(f" {unit}") else f"{low} to {high}"


def duration(milliseconds: int) -> str:
    """Return a time in its two largest units, rounded up: ``5 s``, ``2 min``, ``1 h 30 min``."""
    seconds = -(-milliseconds // 1000)
    if seconds < _MINUTE:
        return f"{seconds} s"
    if seconds < _HOUR:
        return _two(*divmod(seconds, _MINUTE), "min", "s")
    if seconds < _DAY:
        return _two(*divmod(-(-seconds // 60), 60), "h", "min")
    return _two(*divmod(-(-seconds // _HOUR), 24), "d", "h")


def _two(large: int, small: int, of_large: str, of_small: str) -> str:
    return f"{large} {of_large} {small} {of_small}" if small else f"{large} {of_large}"


def _low(seconds: int) -> str:
    count, unit = _unit(seconds)
    return f"{seconds // count} {unit}"


def _high(seconds: int) -> str:
    count, unit = _unit(seconds)
    return f"{-(-seconds // count)} {unit}"


def _unit(seconds: int) -> tuple[int, str]:
    """The unit in which two digits are enough."""
    if seconds < 2 * _HOUR:
        return _MINUTE, "min"
    if seconds < 2 * _DAY:
        return _HOUR, "h"
    return _DAY, "days"
