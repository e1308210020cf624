"""Which rules refuse, warn or are off: one table with a column per validation profile.

The administrator chooses a validation profile for each tree:

* ``koordinator`` is what users of Koordinator know, with its holes closed.
* ``strict`` also refuses what is legal and likely a mistake.
* ``ack`` and ``yunikorn`` require what these systems require (docs/compat).
* ``permissive`` only warns of what can be corrected later, so manifests may be applied in any
  order. Meanwhile the controller's verdict decides what counts.

Every profile refuses what takes something from other quotas, and what cannot be read.

A rule is named by its code. If a code has several sides, the others have a suffix. A change that
concerns two trees is judged by the stricter of their levels.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Literal, cast, get_args

from elasticquota.forest.violation import Violation
from elasticquota.structs import Struct, field


Level = Literal["off", "warn", "deny"]
"""In order, the mildest first."""
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
    "EQ1004-unbound":    "warn         warn    off   off       warn",
    "EQ1101":            "deny         deny    deny  deny      warn",
    "EQ1101-missing":    "warn         deny    warn  warn      warn",
    "EQ1102":            "deny         deny    deny  deny      deny",
    "EQ1102-namespace":  "deny         deny    off   off       warn",
    "EQ1103":            "deny         deny    off   off       warn",
    "EQ1103-equal":      "off          deny    off   off       off",
    "EQ1103-nodes":      "warn         deny    off   off       warn",
    "EQ1103-pool":       "deny         deny    warn  warn      warn",
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
    "EQ1114":            "deny         deny    deny  deny      deny",
    "EQ1115":            "deny         deny    deny  deny      deny",
    "EP1201":            "deny         deny    deny  deny      deny",
    "EP1201-capacity":   "warn         warn    warn  warn      warn",
    "EP1201-pools":      "warn         warn    warn  warn      warn",
    "EP1202":            "deny         deny    deny  deny      deny",
    "EP1202-overlap":    "warn         warn    warn  warn      warn",
    "EP1203":            "deny         deny    deny  deny      warn",
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
"""Rules that have one level in all profiles; overrides must not change them."""


class Findings(Struct, frozen=True):
    """The violations of one request that refuse it, and those that only warn."""

    refused: tuple[Violation, ...] = ()
    warned: tuple[Violation, ...] = ()


class Validation(Struct, frozen=True):
    """The administrator's choice of profiles and levels."""

    profile: Profile = "koordinator"
    """The profile of every tree that ``trees`` does not name."""
    trees: Mapping[str, Profile] = field(default_factory=dict)
    """The profile by tree id."""
    overrides: Mapping[str, Level] = field(default_factory=dict)
    """Levels by rule, which win over every profile; none of `ALWAYS`."""

    def level(self, rule: str, trees: Iterable[str]) -> Level:
        """Return the strictest level of ``rule`` in these trees; for no trees, the default's."""
        if rule in self.overrides:
            return self.overrides[rule]
        profiles = {self.trees.get(tree, self.profile) for tree in trees} or {self.profile}
        return max((TABLE[rule][profile] for profile in profiles), key=LEVELS.index)

    def sort(self, found: Iterable[Violation], trees: Iterable[str]) -> Findings:
        """Sort ``found`` by the levels in these trees; violations of level off are dropped."""
        known = frozenset(trees)
        sorted_out: dict[Level, list[Violation]] = {level: [] for level in LEVELS}
        for violation in found:
            sorted_out[self.level(violation.rule, known)].append(violation)
        return Findings(tuple(sorted_out["deny"]), tuple(sorted_out["warn"]))


USUAL: Final = Validation()
