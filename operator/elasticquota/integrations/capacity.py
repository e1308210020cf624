"""Capacity scheduling's ElasticQuotas: one for a namespace, all below the quota ``capacity``.

``capacity`` has the sum of the mins as its min and its max, because the peer lets all quotas
together use no more (the second rule of its PreFilter, C8), and the cluster may have less. A quota
is named like its namespace, whose pods thereby belong to it (C2). Of two in a namespace the older
counts.

Shares of what is free are ours: fair by max, where the peer's are first come, first served.
"""

from collections.abc import Iterable
from typing import Final

from elasticquota import names, resources
from elasticquota.integrations.translation import assembly, translation
from elasticquota.integrations.translation.assembly import Assembly
from elasticquota.integrations.translation.translation import Draft, Translation, TranslationWarning
from elasticquota.wire.integrations.capacity_quotas import CapacityQuota


TOP: Final = "capacity"
HOME: Final = "kube-system"
KIND: Final = names.CAPACITY_KIND
_ALL: Final = f"{KIND}s of {names.CAPACITY_GROUP}"


def translate(quotas: Iterable[CapacityQuota], home: str = HOME) -> Translation:
    """A quota in each namespace, and their parent in the namespace ``home``."""
    return assemble(quotas, home, assembly.NOTHING).translation


def assemble(
    quotas: Iterable[CapacityQuota], home: str, before: Assembly, *, together: bool = False
) -> Assembly:
    """The same by way of any assembly from ``before``.

    ``together``: all of them in ``home``, where their owners do not edit them.
    """
    warnings: list[TranslationWarning] = []
    chosen: dict[str, CapacityQuota] = {}
    for quota in sorted(quotas, key=_age):
        older = chosen.setdefault(quota.key.namespace, quota)
        if older is not quota:
            text = f"the namespace has one quota, and that is {older.key.name}; not taken over"
            warnings.append(TranslationWarning(_source(quota), "", text))
            continue
        warnings += translation.of_faults(_source(quota), quota.faults)
    if not chosen:
        return assembly.build((), warnings, before)
    drafts = [
        Draft(
            (TOP, namespace),
            _source(quota),
            "spec",
            home=home if together else namespace,
            origin=origin(quota),
            name=namespace,
            min=quota.min,
            max=quota.max,
            namespaces=(namespace,),
        )
        for namespace, quota in sorted(chosen.items())
    ]
    # What of a min is above max is no promise.
    promised = (resources.cut(draft.min, draft.max) for draft in drafts)
    total = resources.positive(resources.add(*promised))
    top = Draft((TOP,), _ALL, TOP, home=home, origin=TOP, min=total, max=total, is_parent=True)
    if total:
        figures = ", ".join(f"{key} {amount}" for key, amount in resources.text(total).items())
        text = (
            f"together the quotas use at most the sum of their min, {figures}; to let them borrow "
            f"all that the cluster has, take the max from '{TOP}'"
        )
    else:
        text = "no quota has a min, so the peer would let none of them use anything; here they do"
    warnings.append(top.warning("max", text))
    return assembly.build([top, *drafts], warnings, before)


def origin(quota: CapacityQuota) -> str:
    """How the quota that is made of this one says where it comes from."""
    return f"{TOP}:{quota.key}"


def _age(quota: CapacityQuota) -> tuple[str, str, str, str]:
    # In a file there is no uid.
    return (quota.created, quota.uid, quota.key.name, "" if quota.uid else repr(quota))


def _source(quota: CapacityQuota) -> str:
    return f"{KIND} {quota.key}"
