"""The order of the rules, as plain lists.

A stage reports all its faults at once. The next stage runs only if the one before refuses nothing,
because sums below a parent that does not exist have no meaning. ``severity`` decides which faults
refuse and which only warn.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from elasticquota.forest import bound_namespaces, own_fields, parent_keys, pool_bounds
from elasticquota.forest.membership import Membership
from elasticquota.forest.structure import Forest
from elasticquota.forest.violation import Violation
from elasticquota.model import tree_ids
from elasticquota.model.pod import Pod
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Figures
from elasticquota.resources import EMPTY, Resources
from elasticquota.validation import (
    allowed_namespaces,
    ceiling,
    child_namespaces,
    equal_keys,
    guaranteed_use,
    in_use,
    min_sum,
    naming,
    object_size,
    parentage,
    placement,
    profile_capacity,
    profile_conflicts,
    profile_removal,
    profile_shape,
    removal,
    resize,
    resource_keys,
    role,
    tree_identity,
    unknown_quota,
)
from elasticquota.validation.change import Change
from elasticquota.validation.profile_change import ProfileChange
from elasticquota.validation.severity import USUAL, Findings, Validation
from elasticquota.validation.stored import added


Rule = Callable[[Change, Forest], Iterable[Violation]]
Stage = Sequence[Rule]
Stages = Sequence[Stage]
PodRule = Callable[[Pod, Membership], Iterable[Violation]]
ProfileRule = Callable[[ProfileChange, Forest], Iterable[Violation]]

OF_ANY_EDIT: Final[Stage] = [
    object_size.check,  # EQ1115: its size
]
SHAPE: Final[Stage] = [
    *OF_ANY_EDIT,
    added(own_fields.check),  # EQ1001-1004, EQ1112-1113, PD1307: its own fields
    equal_keys.check,  # EQ1114: its fields and the keys of Koordinator that say the same
]
REFERENCES: Final[Stage] = [
    naming.check,  # EQ1102, EQ1110: its name
    parentage.check,  # EQ1101: its parent
    child_namespaces.check,  # EQ1113: its parent's consent
    tree_identity.check,  # EQ1107: its tree
    role.check,  # EQ1106: parent or leaf
    added(parent_keys.check),  # EQ1103: its resources, beside those of its parent
    added(parent_keys.offered_by_none),  # EQ1103: its resources, beside those of the nodes
    resource_keys.check,  # EQ1103: its resources, beside those of its children
    resource_keys.check_equal,  # EQ1103: all resources of its parent
    added(pool_bounds.check),  # EQ1103: its pools
    added(bound_namespaces.check),  # EQ1004: its namespaces
    added(bound_namespaces.unbound),  # EQ1004: a leaf without any
    removal.check,  # EQ1111: no children and no pods at its deletion
]
SUMS: Final[Stage] = [
    min_sum.check,  # EQ1104: its min, in the parent's sum and against its children's
    guaranteed_use.check,  # EQ1104: its min beside guaranteed usage
    ceiling.check,  # EQ1105: a max that cannot be reached
    in_use.check,  # EQ1112: what its pods use
]

FOR_USERS: Final[Stages] = [SHAPE, REFERENCES, SUMS]
# The controller writes root quotas: their min follows the nodes, their place follows the profile.
FOR_THE_CONTROLLER: Final[Stages] = [SHAPE]

FOR_PODS: Final[Sequence[PodRule]] = [
    placement.check,  # PD1301: no pods in parents
    unknown_quota.check,  # PD1306: a quota that exists
    allowed_namespaces.check,  # PD1307: a quota that takes pods of the namespace
]
FOR_PROFILES: Final[Sequence[ProfileRule]] = [
    object_size.check,  # EQ1115: its size
    profile_shape.check,  # EP1201: its own fields
    equal_keys.check,  # EQ1114: its field and the key of Koordinator that says the same
    profile_capacity.check,  # EP1201: its capacity, beside the guarantees of its tree
    profile_conflicts.check,  # EP1202: no other profile has its tree id or root quota
    profile_conflicts.check_nodes,  # EP1202: no other profile selects its nodes
]


def judge(
    change: Change,
    forest: Forest,
    validation: Validation = USUAL,
    stages: Stages = FOR_USERS,
) -> Findings:
    """Judge a change of a quota: the refusals of the first stage that refuses, else all warnings.

    The validation profile is that of the trees that the change concerns. An edit of other metadata
    is judged by the object's size only.
    """
    if change.means_nothing:
        stages = [OF_ANY_EDIT]
    trees = tree_identity.concerned(change, forest)
    warned: tuple[Violation, ...] = ()
    for stage in stages:
        findings = validation.sort(
            chain.from_iterable(rule(change, forest) for rule in stage), trees
        )
        if findings.refused:
            return Findings(findings.refused)
        warned += findings.warned
    return Findings(warned=warned)


def judge_pod(pod: Pod, members: Membership, validation: Validation = USUAL) -> Findings:
    """Judge a new pod by the validation profile of the tree that it would be in."""
    quota = members.quota_of(pod)
    found = chain.from_iterable(rule(pod, members) for rule in FOR_PODS)
    return _of_pod(found, quota, members.forest, validation)


def judge_profile(
    change: ProfileChange, forest: Forest, validation: Validation = USUAL
) -> Findings:
    """Judge a change of an ElasticQuotaProfile by the validation profile of its tree."""
    trees = (tree_ids.of(change.new),)
    return validation.sort(
        chain.from_iterable(rule(change, forest) for rule in FOR_PROFILES), trees
    )


def judge_profile_removal(
    profile: Profile, forest: Forest, validation: Validation = USUAL, *, namespace_leaves: bool
) -> Findings:
    """Judge the deletion of an ElasticQuotaProfile by the validation profile of its tree."""
    found = profile_removal.check(profile, forest, namespace_leaves=namespace_leaves)  # EP1203
    return validation.sort(found, (tree_ids.of(profile),))


def judge_growth(
    asked: Resources,
    quota: str,
    forest: Forest,
    published: Mapping[str, Figures],
    validation: Validation = USUAL,
    *,
    firm: Resources = EMPTY,
) -> Findings:
    """Judge the resize of a pod of ``quota`` that asks for ``asked`` more.

    The validation profile is that of the tree of ``quota``. ``firm`` is what the pod has if it may
    not be reclaimed, else empty.
    """
    return _of_pod(resize.check(asked, quota, forest, published, firm), quota, forest, validation)


def _of_pod(
    found: Iterable[Violation], quota: str, forest: Forest, validation: Validation
) -> Findings:
    """In observe mode every refusal of a pod becomes a warning."""
    tree = forest.tree_of.get(quota)
    judged = validation.sort(found, () if tree is None else (tree,))
    if forest.observes(quota):
        return Findings(warned=judged.refused + judged.warned)
    return judged
