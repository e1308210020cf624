"""The section of the rules that check users' changes."""

from collections.abc import Iterable
from typing import Annotated

from elasticquota.structs import field
from elasticquota.validation import severity
from elasticquota_config.fields import reading
from elasticquota_config.fields.section import Section, ValueCheck


def _profile(name: str) -> str:
    return _unknown(name, "validation profile", severity.PROFILES)


def _rule(name: str) -> str:
    if name in severity.ALWAYS:
        return f"rule '{name}' is the same in every profile and cannot be changed"
    return _unknown(name, "rule with levels", severity.TABLE.keys() - severity.ALWAYS)


def _unknown(name: str, what: str, known: Iterable[str]) -> str:
    names = sorted(known)
    return "" if name in names else f"there is no {what} '{name}'{reading.nearest(name, names)}"


ProfileName = Annotated[str, ValueCheck(_profile)]
RuleName = Annotated[str, ValueCheck(_rule)]


class Rules(Section, frozen=True):
    """Which of the rules of docs/rules refuse a change and which only warn."""

    profile: ProfileName = "koordinator"
    """The validation profile of all trees: koordinator, strict, ack, yunikorn or permissive."""
    trees: dict[str, ProfileName] = field(default_factory=dict)
    """Other validation profiles for single trees, by tree id."""
    overrides: dict[RuleName, severity.Level] = field(default_factory=dict)
    """Levels of single rules (off, warn, deny); they take precedence over all profiles."""
