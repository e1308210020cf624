"""ResourceFlavors as nodes of a quota.

A workload gets one flavor of each resource group, and its pods run on nodes with the labels of
these. So a ClusterQueue with one group selects the nodes of its flavors. With several groups the
nodes depend on the resources that a pod asks for, and a quota can not express that.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from elasticquota.integrations.ack import flavors as selectors
from elasticquota.integrations.translation import translation
from elasticquota.integrations.translation.translation import Draft, TranslationWarning
from elasticquota.model.pools import Pools
from elasticquota.model.selector import EVERYTHING, Selector
from elasticquota.wire.codec import fields
from elasticquota_import.manifests import kueue_queues
from elasticquota_import.manifests.kueue_queues import ClusterQueue, Flavor, Member


Flavors = Mapping[str, Flavor]

_SEVERAL: Final = (
    "their quotas add up here, and no limit of one flavor alone holds, because no node labels tell "
    "them apart; give each of them nodeLabels of its own"
)


def nodes(queue: ClusterQueue, flavors: Flavors) -> Selector:
    """The nodes of the queue's flavors; everything where no selector says which."""
    if len(queue.groups) != 1:
        return EVERYTHING
    named = [flavor.name for flavor in queue.groups[0]]
    known = {name: flavors[name].labels for name in named if name in flavors}
    if len(known) < len(named) or not all(known.values()):
        return EVERYTHING
    return selectors.nodes(named, known)


def warnings(
    member: Member, draft: Draft, flavors: Flavors, pools: Pools | None
) -> Iterator[TranslationWarning]:
    """What of the flavors of a member is not taken over unchanged."""
    for index, group in enumerate(member.groups):
        if len(group) > 1 and pools is None:
            listed = ", ".join(sorted(fields.shown_key(each.name) for each in group))
            yield draft.warning(f"resourceGroups[{index}].flavors", f"{listed}: {_SEVERAL}")
        for each in group:
            if each.name not in flavors:
                text = f"there is no ResourceFlavor {fields.shown(each.name)} in what was given"
                yield TranslationWarning(draft.source, f"{each.where}.name", text)
    if not isinstance(member, ClusterQueue) or draft.nodes is not EVERYTHING or pools is not None:
        return
    labeled = [
        [each for each in group if each.name in flavors and flavors[each.name].labels]
        for group in member.groups
    ]
    if len(member.groups) > 1 and any(labeled):
        text = (
            "which nodes a pod gets depends on the resources that it asks for; write a node "
            "selector into the pods"
        )
        yield draft.warning("resourceGroups", text)
    elif labeled and labeled[0] and len(labeled[0]) == len(member.groups[0]):
        text = "no selector means just the nodes of these; write a node selector into the pods"
        yield draft.warning("resourceGroups[0].flavors", text)


def of_objects(flavors: Flavors) -> Iterator[TranslationWarning]:
    """What of the ResourceFlavors themselves is not taken over."""
    for name, flavor in flavors.items():
        source = f"{kueue_queues.FLAVOR} {fields.shown_key(name)}"
        yield from translation.of_faults(source, flavor.faults)
        for key in flavor.others:
            text = "is not taken over"
            if key in ("nodeTaints", "tolerations"):
                text = "is not taken over; write the tolerations into the pods"
            yield TranslationWarning(source, f"spec.{key}", text)
