"""Durations in logarithmic buckets, and their logarithm to base 2; integers only.

Run times and waits have heavy tails: a minute more means much after two minutes and nothing after a
day. So durations are kept and compared by their ratio. Within an octave (a factor of two) the
steps are even, which is at most 9 percent off the true logarithm.
"""

from typing import Final


PER_OCTAVE: Final = 4
"""Buckets from a duration to twice of it."""

LONGEST: Final = 64 * 86_400
"""Seconds; longer durations count as this one."""

LEVELS: Final = 16
"""Levels from a duration to twice of it (``level``)."""


def index(seconds: int) -> int:
    """Return the bucket of a duration; less than a second counts as one second."""
    return _steps(seconds, PER_OCTAVE)


def begin(bucket: int) -> int:
    """Return the shortest duration of a bucket, in seconds."""
    return _duration(bucket, PER_OCTAVE)


def end(bucket: int) -> int:
    """Return the shortest duration that is longer than all of a bucket, in seconds."""
    octave, rest = divmod(bucket + 1, PER_OCTAVE)
    return -(-(PER_OCTAVE + rest << octave) // PER_OCTAVE)


def level(seconds: int) -> int:
    """Return 16 times the logarithm of a duration to base 2, about."""
    return _steps(seconds, LEVELS)


def at_level(found: int) -> int:
    """Return the duration of a level, in seconds; at least one, at most ``LONGEST``."""
    return min(LONGEST, _duration(max(0, found), LEVELS)) if found < _HIGHEST else LONGEST


def _steps(seconds: int, per_octave: int) -> int:
    held = min(LONGEST, max(1, seconds))
    octave = held.bit_length() - 1
    return per_octave * octave + (held * per_octave >> octave) - per_octave


def _duration(steps: int, per_octave: int) -> int:
    octave, rest = divmod(steps, per_octave)
    return (per_octave + rest << octave) // per_octave


COUNT: Final = index(LONGEST) + 1
"""Number of buckets."""

_HIGHEST: Final = level(LONGEST)
