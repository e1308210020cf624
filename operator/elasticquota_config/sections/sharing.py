"""The sections of how quotas share, what counts, and the default tree."""

from typing import Literal

from elasticquota_config.fields.section import Section
from elasticquota_config.sections.names import NameOrAll


class Sharing(Section, frozen=True):
    """How the quotas of a tree share; the defaults are Koordinator's."""

    runtime: bool = True
    """False, as Koordinator's `enableRuntimeQuota: false`: every quota may use its max, whatever
    others ask for, and only what exceeds a max is reclaimed."""
    scale_min: bool = True
    """Whether guarantees that exceed what their parent has shrink in proportion, as with
    Koordinator's `enableMinQuotaScale`; false: each keeps its whole min, and who comes first uses
    it."""


class AccountingSection(Section, frozen=True):
    """What counts; the defaults are Koordinator's."""

    default_quota: bool = True
    """Whether pods without a quota belong to `koordinator-default-quota`; false: they are neither
    counted nor limited."""
    ignore_overhead: bool = False
    """True: the overhead that a runtime class adds to its pods (`spec.overhead`) does not count."""
    ignore_terminating: Literal["never", "afterGrace", "atOnce"] = "never"
    """When terminating pods stop counting: never, after their grace, or at once."""


class DefaultTree(Section, frozen=True):
    """Options of the default tree, which has no profile to state them."""

    mode: Literal["", "enforce", "observe"] = ""
    """Mode of the default tree; empty: that of the key `mode`."""
    guarantee_usage: bool = False
    """True: running pods in the default tree are never reclaimed, and nothing is lent."""
    child_namespaces: tuple[NameOrAll, ...] = ()
    """Namespaces whose quotas may be directly below `koordinator-root-quota`, besides the
    namespace of the process, without a permission; `*` is all. Elsewhere the user needs the verb
    `add-child` on that quota (EQ1113)."""
