"""No quota, profile or edit of a pod is stored so large that nothing can be written beside it."""

from typing import Any

import pytest

import policies
from scenes import Pool, refusal
from users import Document, User


pytestmark = pytest.mark.cluster

FAT = 1_100_000
"""Bytes; the policies let 1,048,576 in."""
NEARLY = 1_000_000


def owners(size: int, character: str = "K") -> list[Document]:
    """An owner of a kind with so long a name, which the API does not bound."""
    return [{"apiVersion": "v1", "kind": character * size, "name": "y", "uid": "6"}]


def grow(admin: User, manifest: Document, size: int) -> None:
    change: Any = {"metadata": {"ownerReferences": owners(size)}}
    metadata = manifest["metadata"]
    admin.patch(manifest["kind"], metadata["name"], metadata["namespace"], change=change)


def test_no_edit_makes_a_pod_too_large_to_be_evicted(home: Pool, admin: User) -> None:
    home.pod("grown", "team")
    place = ("Pod", "grown", home.namespace)
    refused = refusal(lambda: grow(admin, admin.get(*place), FAT))
    assert refused.message == (
        policies.refusal("pod-size", 'pods "grown"')
        + "the pod would have 1075 KiB of text and may have 1024 after an edit, so that it can be "
        "evicted: the store takes 1.5 MiB. Shorten its annotations, labels or owner references. "
        "[PD1311]"
    )
    # Three bytes each, which the store counts and a count of characters would not.
    wide = {"metadata": {"ownerReferences": owners(FAT // 3, "€")}}
    assert "[PD1311]" in refusal(lambda: admin.patch(*place, change=wide)).message
    env = [{"name": "BULK", "value": "x" * FAT}]
    added = {"ephemeralContainers": [{"name": "debug", "image": "debug", "env": env}]}
    assert (
        "[PD1311]"
        in refusal(
            lambda: admin.patch(*place, change={"spec": added}, subresource="ephemeralcontainers")
        ).message
    )
    grow(admin, admin.get(*place), NEARLY)
    more: Any = {"metadata": {"annotations": {"bulk": "x" * 100_000}, "managedFields": [{}]}}
    assert "[PD1311]" in refusal(lambda: admin.patch(*place, change=more)).message
    admin.delete(*place)


def test_a_quota_and_a_profile_leave_room_for_their_status(home: Pool, admin: User) -> None:
    quota = home.quota_manifest("size", max=1)
    profile = admin.get("ElasticQuotaProfile", "pool", home.namespace)
    admin.create(quota)
    fresh = home.quota_manifest("fat", max=1)
    fresh["metadata"]["ownerReferences"] = owners(FAT)
    for write in (
        lambda: admin.create(fresh),
        lambda: grow(admin, quota, FAT),
        lambda: grow(admin, profile, FAT),
    ):
        message = refusal(write).message
        assert "KiB of text and may have 1024, so that its status fits beside it" in message
        assert message.endswith("[EQ1115]")
    # The store writes each of these as six.
    marks = {"metadata": {"annotations": {"bulk": "<>&" * 80_000}}}
    place = ("ElasticQuota", quota["metadata"]["name"], home.namespace)
    assert "[EQ1115]" in refusal(lambda: admin.patch(*place, change=marks)).message
    grow(admin, quota, NEARLY)
    admin.delete("ElasticQuota", quota["metadata"]["name"], home.namespace)


def test_a_pod_that_is_too_large_already_may_get_smaller(home: Pool, admin: User) -> None:
    manifest = home.pod_manifest("large", "team")
    manifest["spec"]["containers"][0]["env"] = [{"name": "BULK", "value": "x" * FAT}]
    manifest["metadata"]["annotations"] = {"bulk": "x" * 10_000}
    admin.create(manifest)

    def annotated(size: int) -> None:
        change = {"metadata": {"annotations": {"bulk": "x" * size}}}
        admin.patch("Pod", "large", home.namespace, change=change)

    annotated(9_000)
    assert "[PD1311]" in refusal(lambda: annotated(9_001)).message
    admin.delete("Pod", "large", home.namespace)
