"""Which rules refuse, which only warn and which are silent: one table, chosen tree by tree.

A validation profile is a column. ``koordinator`` is what Koordinator's users are used to, with its
holes closed; ``strict`` also refuses what is legal and likely a mistake; ``ack`` and ``yunikorn``
ask for what these two ask for (docs/reference/rule-clash.md); ``permissive`` warns of all that can
be put right later, so that manifests may come in any order: the controller's verdict says what
counts meanwhile.
No profile lets through what takes something from others or what nobody could make sense of.

A rule is named by its code; where one code has two sides, the second has a name of its own.
A change that concerns two trees is judged by the stricter of their levels.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, cast, get_args

from elasticquota.validation.violation import Violation


Level = Literal["off", "warn", "deny"]
"""From the mildest to the strictest."""
Profile = Literal["koordinator", "strict", "ack", "yunikorn", "permissive"]

LEVELS: Final[tuple[Level, ...]] = get_args(Level)
PROFILES: Final[tuple[Profile, ...]] = get_args(Profile)

_TABLE: Final = {
    #                     koordinator  strict  ack   yunikorn  permissive
    "EQ1001":            "deny         deny    deny  deny      deny",
    "EQ1001-switch":     "warn         deny    warn  warn      warn",
    "EQ1002":            "deny         deny    deny  deny      deny",
    "EQ1003":            "deny         deny    deny  deny      warn",
    "EQ1004":            "deny         deny    deny  deny      deny",
    "EQ1101":            "deny         deny    deny  deny      warn",
    "EQ1102":            "deny         deny    deny  deny      deny",
    "EQ1102-namespace":  "deny         deny    off   off       warn",
    "EQ1103":            "deny         deny    off   off       warn",
    "EQ1103-equal":      "off          deny    off   off       off",
    "EQ1104":            "deny         deny    warn  deny      warn",
    "EQ1104-forced":     "warn         warn    warn  warn      warn",
    "EQ1104-guarantee":  "deny         deny    deny  deny      warn",
    "EQ1104-nodes":      "warn         warn    warn  warn      warn",
    "EQ1105":            "warn         deny    warn  deny      warn",
    "EQ1105-unlimited":  "warn         warn    off   off       warn",
    "EQ1106":            "deny         deny    deny  deny      warn",
    "EQ1107":            "deny         deny    deny  deny      deny",
    "EQ1110":            "deny         deny    deny  deny      deny",
    "EQ1111":            "deny         deny    deny  deny      warn",
    "EQ1112":            "warn         warn    warn  warn      warn",
    "EQ1112-strict":     "deny         deny    deny  deny      warn",
    "EQ1113":            "deny         deny    deny  deny      deny",
    "EQ1113-children":   "warn         deny    warn  warn      warn",
    "EP1201":            "deny         deny    deny  deny      deny",
    "EP1202":            "deny         deny    deny  deny      deny",
    "EP1202-overlap":    "warn         warn    warn  warn      warn",
    "PD1301":            "deny         deny    deny  deny      warn",
    "PD1305":            "deny         deny    deny  deny      warn",
    "PD1305-unknown":    "warn         warn    warn  warn      warn",
    "PD1306":            "warn         deny    warn  warn      warn",
    "PD1307":            "deny         deny    deny  deny      deny",
    "PD1307-unbound":    "deny         deny    off   off       warn",
    "PD1307-open":       "off          deny    off   off       off",
}  # fmt: skip

TABLE: Final[Mapping[str, Mapping[Profile, Level]]] = {
    rule: dict(zip(PROFILES, cast("list[Level]", row.split()), strict=True))
    for rule, row in _TABLE.items()
}
ALWAYS: Final = frozenset(rule for rule, row in TABLE.items() if len({*row.values()}) == 1)
"""Rules that no profile changes; nobody else may either."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found, as it counts where it was found."""

    refused: tuple[Violation, ...] = ()
    warned: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True)
class Validation:
    """The administrator's choice."""

    profile: Profile = "koordinator"
    """Of every tree that is not named."""
    trees: Mapping[str, Profile] = field(default_factory=dict)
    """By tree id."""
    overrides: Mapping[str, Level] = field(default_factory=dict)
    """Levels by rule that come before those of every profile; none of `ALWAYS`."""

    def level(self, rule: str, trees: Iterable[str]) -> Level:
        """How ``rule`` counts in these trees; in none of them as in one that nobody named."""
        if rule in self.overrides:
            return self.overrides[rule]
        profiles = {self.trees.get(tree, self.profile) for tree in trees} or {self.profile}
        return max((TABLE[rule][profile] for profile in profiles), key=LEVELS.index)

    def sort(self, found: Iterable[Violation], trees: Iterable[str]) -> Findings:
        """What of ``found`` refuses and what warns in these trees."""
        known = frozenset(trees)
        sorted_out: dict[Level, list[Violation]] = {level: [] for level in LEVELS}
        for violation in found:
            sorted_out[self.level(violation.rule, known)].append(violation)
        return Findings(tuple(sorted_out["deny"]), tuple(sorted_out["warn"]))


USUAL: Final = Validation()
