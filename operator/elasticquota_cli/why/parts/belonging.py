"""The quota of a pod, with the rule that assigns it."""

from typing import NamedTuple

from elasticquota_cli.why.parts.report import Rule


class Belonging(NamedTuple):
    """The quota of a pod, and why."""

    quota: str
    """``NO_QUOTA`` for a pod outside of every quota."""
    rule: Rule
    why: str
    without_label: str = ""
    """The quota that it had without its label; empty: the same, or it is not known."""
