"""The built-in systems whose pod groups are read, one row each, with the source of their names.

A configuration file chooses rows by name, adds rows, and replaces rows of the same name.
"""

from collections.abc import Iterable
from typing import Final

from elasticquota.jobs.adapter import Sign
from elasticquota.pod_groups.adapter import ComposedBy, PodGroupAdapter, SizedBy


# scheduler-plugins, "Coscheduling". The size is only in the object. Without the object the plugin
# schedules no pod of the group.
_COSCHEDULING: Final = PodGroupAdapter(
    name="coscheduling",
    group=("scheduling.x-k8s.io/pod-group",),
    object=SizedBy(
        "scheduling.x-k8s.io", ("v1alpha1",), "PodGroup", "podgroups", size="spec.minMember"
    ),
)

# Koordinator, "Gang Scheduling", and apis/extension/coscheduling.go: annotations, the sig's older
# PodGroup, and the labels of ACK's scheduler, which Koordinator reads too.
_SIG: Final = "pod-group.scheduling.sigs.k8s.io"
_GANG: Final = "gang.scheduling.koordinator.sh"
_TOGETHER: Final = (f"{_GANG}/groups", f"{_SIG}/groups")
_KOORDINATOR: Final = PodGroupAdapter(
    name="koordinator",
    group=(f"{_GANG}/name", _SIG, f"{_SIG}/name"),
    size=(f"{_GANG}/min-available", f"{_SIG}/min-available"),
    together=_TOGETHER,
    object=SizedBy(
        "scheduling.sigs.k8s.io",
        ("v1alpha1",),
        "PodGroup",
        "podgroups",
        size="spec.minMember",
        together=_TOGETHER,
    ),
)

# volcano.sh, "PodGroup", and apis/scheduling/v1beta1/labels.go. minMember is optional: 1.
_VOLCANO: Final = PodGroupAdapter(
    name="volcano",
    group=("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name"),
    object=SizedBy(
        "scheduling.volcano.sh", ("v1beta1",), "PodGroup", "podgroups", size="spec.minMember"
    ),
)

# kubernetes.io, "Gang Scheduling", and k8s.io/api v0.37.2 and v0.36.3, scheduling: field
# schedulingGroup, v1alpha2 in 1.36, v1alpha3 and v1beta1 in 1.37. The policy "basic" has no
# minCount: its pods start one by one. disruptionMode is a word in v1alpha2, later a union. Only
# v1alpha3 has CompositePodGroup.
_KUBERNETES: Final = PodGroupAdapter(
    name="kubernetes",
    field="schedulingGroup",
    object=SizedBy(
        "scheduling.k8s.io",
        ("v1", "v1beta1", "v1alpha3", "v1alpha2"),
        "PodGroup",
        "podgroups",
        size="spec.schedulingPolicy.gang.minCount",
        whole=Sign("spec.disruptionMode", ("all", "PodGroup")),
    ),
    composite=ComposedBy(
        "scheduling.k8s.io",
        ("v1", "v1beta1", "v1alpha3"),
        "CompositePodGroup",
        "compositepodgroups",
        least="spec.schedulingPolicy.gang.minGroupCount",
        parent="spec.parentCompositePodGroupName",
        whole=Sign("spec.disruptionMode", ("all",)),
    ),
)

# lws.sigs.k8s.io, "Labels, Annotations and Environment Variables". The workers are made later when
# the leader must be ready first, or must have a node for the exclusive topology.
_LEADER_WORKER_SET: Final = PodGroupAdapter(
    name="leaderworkerset",
    group=("leaderworkerset.sigs.k8s.io/name",),
    index=("leaderworkerset.sigs.k8s.io/group-index",),
    size=("leaderworkerset.sigs.k8s.io/size",),
    one_by_one=(
        "leaderworkerset.sigs.k8s.io/exclusive-topology",
        "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology",
    ),
    object=SizedBy(
        "leaderworkerset.x-k8s.io",
        ("v1",),
        "LeaderWorkerSet",
        "leaderworkersets",
        size="spec.leaderWorkerTemplate.size",
        one_by_one=Sign("spec.startupPolicy", ("LeaderReady",)),
    ),
)

# yunikorn.apache.org, "Gang Scheduling" (Y23): the originator of an application defines its groups,
# each pod names its own.
_YUNIKORN: Final = PodGroupAdapter(
    name="yunikorn",
    group=("yunikorn.apache.org/app-id", "applicationId", "spark-app-selector"),
    index=("yunikorn.apache.org/task-group-name",),
    definitions=("yunikorn.apache.org/task-groups",),
)

BUILT_IN: Final = (
    _COSCHEDULING,
    _KOORDINATOR,
    _VOLCANO,
    _KUBERNETES,
    _LEADER_WORKER_SET,
    _YUNIKORN,
)
NAMES: Final = tuple(each.name for each in BUILT_IN)


def chosen(
    kinds: Iterable[str], others: Iterable[PodGroupAdapter] = ()
) -> tuple[PodGroupAdapter, ...]:
    """The built-in rows ``kinds`` in the order of the table, then the ``others``.

    A row of another's name replaces it. If several rows fit a pod, the first one counts.
    """
    wanted = set(kinds)
    rows = [each for each in BUILT_IN if each.name in wanted]
    return tuple({each.name: each for each in (*rows, *others)}.values())
