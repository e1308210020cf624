"""Translates capacity scheduling's ElasticQuotas: one per namespace, all below ``capacity``.

The quota ``capacity`` has the sum of the mins as its min and its max. The external system lets all
quotas together use no more (the second rule of its PreFilter, C8), and the cluster may have less. A
quota has the name of its namespace, so the namespace's pods belong to it (C2). Of two in a
namespace the older counts.

Free resources are shared by our rules: fairly, weighted by max. Over there it is first come, first
served.
"""

from collections.abc import Iterable
from typing import Final

from elasticquota import names, resources
from elasticquota.forest import wording
from elasticquota.integrations.translation import assembly, translation
from elasticquota.integrations.translation.translation import Draft, Translation, TranslationWarning
from elasticquota.wire.integrations.capacity_quotas import CapacityQuota


TOP: Final = "capacity"
HOME: Final = "kube-system"
KIND: Final = names.CAPACITY_KIND
_ALL: Final = f"{KIND}s of {names.CAPACITY_GROUP}"


def translate(
    quotas: Iterable[CapacityQuota], home: str = HOME, *, together: bool = False
) -> Translation:
    """Translate the quotas: one in each namespace, and their parent in the namespace ``home``.

    ``together``: all quotas are in ``home``, where the teams do not edit them.
    """
    warnings: list[TranslationWarning] = []
    chosen: dict[str, CapacityQuota] = {}
    for quota in sorted(quotas, key=translation.age):
        older = chosen.setdefault(quota.key.namespace, quota)
        if older is not quota:
            text = f"the namespace has one quota, and that is {older.key.name}; not taken over"
            warnings.append(TranslationWarning(_source(quota), "", text))
            continue
        warnings += translation.of_faults(_source(quota), quota.faults)
    if not chosen:
        return assembly.build((), warnings)
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
    # A min above max is not guaranteed.
    promised = (resources.cut(draft.min, draft.max) for draft in drafts)
    total = resources.positive(resources.add(*promised))
    top = Draft((TOP,), _ALL, TOP, home=home, origin=TOP, min=total, max=total, is_parent=True)
    if total:
        text = (
            f"together the quotas use at most the sum of their min, {wording.amounts(total)}; to "
            f"let them borrow all that the cluster has, take the max from '{TOP}'"
        )
    else:
        text = (
            "no quota has a min, so capacity scheduling would let none of them use anything; here "
            "they do"
        )
    warnings.append(top.warning("max", text))
    return assembly.build([top, *drafts], warnings)


def origin(quota: CapacityQuota) -> str:
    """The origin annotation of the quota that is made from ``quota``."""
    return f"{TOP}:{quota.key}"


def _source(quota: CapacityQuota) -> str:
    return f"{KIND} {quota.key}"
