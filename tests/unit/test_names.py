"""The keys of Koordinator's manifests, tools and dashboards, spelled out as they spell them."""

from elasticquota import names


PREFIX = "quota.scheduling.koordinator.sh/"


def test_the_kinds_are_koordinators() -> None:
    assert (names.QUOTA_API, names.QUOTA_KIND) == (
        "scheduling.sigs.k8s.io/v1alpha1",
        "ElasticQuota",
    )
    assert (names.PROFILE_API, names.PROFILE_KIND) == (
        "quota.koordinator.sh/v1alpha1",
        "ElasticQuotaProfile",
    )


def test_the_labels_are_koordinators() -> None:
    found = [
        names.PARENT,
        names.IS_PARENT,
        names.ALLOW_LENT,
        names.TREE_ID,
        names.IS_ROOT,
        names.PROFILE,
        names.IGNORE_DEFAULT_TREE,
        names.ALLOW_FORCE_UPDATE,
        names.QUOTA_NAME,
        names.PREEMPTIBLE,
    ]
    assert [key.removeprefix(PREFIX) for key in found] == [
        "parent",
        "is-parent",
        "allow-lent-resource",
        "tree-id",
        "is-root",
        "profile",
        "ignore-default-tree",
        "allow-force-update",
        "name",
        "preemptible",
    ]


def test_the_annotations_are_koordinators() -> None:
    found = [
        names.SHARED_WEIGHT,
        names.NAMESPACES,
        names.ADMISSION,
        names.STRICT_KEYS,
        names.RESOURCE_KEYS,
        names.TOTAL_RESOURCE,
        names.UNSCHEDULABLE_RESOURCE,
        names.RUNTIME,
        names.REQUEST,
        names.CHILD_REQUEST,
        names.GUARANTEED,
        names.ALLOCATED,
        names.NON_PREEMPTIBLE_REQUEST,
        names.NON_PREEMPTIBLE_USED,
    ]
    assert [key.removeprefix(PREFIX) for key in found] == [
        "shared-weight",
        "namespaces",
        "admission",
        "max-strict-check-resource-keys",
        "resource-keys",
        "total-resource",
        "unschedulable-resource",
        "runtime",
        "request",
        "child-request",
        "guaranteed",
        "allocated",
        "non-preemptible-request",
        "non-preemptible-used",
    ]
