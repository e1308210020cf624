"""Durations as Go writes them, such as ``30s`` or ``1m30s``, at most a day."""

from typing import Annotated, Final

from pydantic import AfterValidator, Field

from elasticquota import names
from elasticquota.wire.codec import durations
from elasticquota_api.markers import ValidationRule


_FORM: Final = "^([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,8}s)?([0-9]{1,8}ms)?$"
"""Of so few digits that none is too large for the API server's own reader."""
_LENGTH: Final = Field(min_length=1, max_length=32)


def within(*, shortest: str = "0s", code: str = "EQ1001") -> ValidationRule:
    """Return the rule of a duration that is at least ``shortest``; ``code`` ends its message."""
    return ValidationRule(
        f"self.matches('{_FORM}') && duration(self) >= duration('{shortest}') "
        "&& duration(self) <= duration('24h')",
        f"must be a duration such as 30s or 1m30s, from {shortest} to 24h [{code}]",
    )


def _is_duration(found: str) -> str:
    if durations.read_units(found) is None:
        raise ValueError("must be a duration such as 30s or 1m30s, at most 24h")
    return found


def _is_delay(found: str) -> str:
    return found if found == names.NEVER else _is_duration(found)


Text = Annotated[str, _LENGTH, AfterValidator(_is_duration)]
"""To be annotated with the rule that ``within`` returns."""

_WITHIN: Final = within()

Duration = Annotated[Text, _WITHIN]

Delay = Annotated[
    str,
    _LENGTH,
    AfterValidator(_is_delay),
    ValidationRule(
        f"self == '{names.NEVER}' || {_WITHIN.rule}",
        f"must be {names.NEVER}, or a duration such as 15m, from 0s to 24h [EQ1001]",
    ),
]
"""A duration, or never."""
