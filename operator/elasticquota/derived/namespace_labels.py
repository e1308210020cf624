"""A label on every namespace names the quota of its pods that name none themselves.

The admission policy of the API server reads it, to gate new pods without a call to a webhook. Where
the default quota has a max, namespaces without a quota name it. Namespaces whose tree only observes
have no label, so their pods are not gated. The label is derived from the quotas: a forged, removed
or missing label is written again.
"""

from typing import Final

from elasticquota import names
from elasticquota.forest.membership import NO_QUOTA
from elasticquota.ledger.cluster_snapshot import ClusterSnapshot
from elasticquota.ledger.ledger import Ledger
from elasticquota.model.decision import NamespaceLabel


_LONGEST: Final = 63
"""Characters that a label can hold; the schema lets no quota have a longer name."""


def wanted(ledger: Ledger, cluster: ClusterSnapshot) -> tuple[NamespaceLabel, ...]:
    """The namespaces with a wrong label, by name, except terminating ones."""
    wrong = {
        name: label
        for name, found in ledger.namespaces.items()
        if (label := _label(_holder(name, cluster), cluster)) != found.quota
        and not found.terminating
    }
    return tuple(NamespaceLabel(name, label) for name, label in sorted(wrong.items()))


def _holder(namespace: str, cluster: ClusterSnapshot) -> str:
    """The quota that holds pods of the namespace which name none, or ``NO_QUOTA``."""
    found = cluster.members.binding(namespace)
    if found or namespace in cluster.members.system_namespaces:
        return found
    default = cluster.forest.quotas[names.DEFAULT_QUOTA]
    holds = cluster.members.default_quota and default.limits_something
    return names.DEFAULT_QUOTA if holds else NO_QUOTA


def _label(quota: str, cluster: ClusterSnapshot) -> str | None:
    """Empty for a name that no label holds: the pods are held, and get no label either."""
    if not quota or quota in cluster.observed:
        return None
    return quota if len(quota) <= _LONGEST else ""
