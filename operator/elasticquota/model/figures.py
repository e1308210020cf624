"""The figures that the controller last published in the status of a quota (semantics 7)."""

from dataclasses import dataclass, field

from elasticquota.resources import Resources


@dataclass(frozen=True, slots=True)
class Figures:
    """Sums over the quota and all below it; accounting units, a missing key is 0."""

    used: Resources = field(default_factory=dict)
    request: Resources = field(default_factory=dict)
    """What it asks for, before its own max cuts it."""
    runtime: Resources = field(default_factory=dict)
    """A missing key is not shared in the tree, and so unlimited."""
    admitted: Resources = field(default_factory=dict)
    non_preemptible: Resources = field(default_factory=dict)
    """The part of ``admitted`` that may not be reclaimed, if annotations say it."""
