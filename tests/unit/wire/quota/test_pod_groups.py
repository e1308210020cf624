"""Groups of other systems read back from their documents as they were."""

import msgspec
import pytest

from elasticquota.model.group import GroupObject
from elasticquota.model.key import Key
from elasticquota.model.unread import Unread
from elasticquota.wire.quota import pod_groups


@pytest.mark.parametrize(
    "found",
    [
        GroupObject(Key("ns", "volcano/g"), 3),
        GroupObject(Key("ns", "kubernetes/g"), 1, whole=True),
        GroupObject(Key("ns", "koordinator/g"), 0, True, (Key("a", "koordinator/h"),), "bad"),
    ],
)
def test_an_object_reads_back(found: GroupObject) -> None:
    document = msgspec.convert(pod_groups.manifest(found), pod_groups.GroupSizeManifest)
    assert document.spec == found


@pytest.mark.parametrize("adapter", ["kubernetes", ""])
def test_a_kind_that_is_not_read_reads_back(adapter: str) -> None:
    found = Unread("podgroups.scheduling.k8s.io", ("v2",), ("v1", "v1beta1"), adapter)
    document = msgspec.convert(pod_groups.unread(found), pod_groups.UnreadManifest)
    assert document.spec == found
