"""A tree of its own hangs below the root quota of its profile, once that is there."""

from elasticquota.integrations.ack import pools
from elasticquota.model.key import Key
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota
from elasticquota.structs import replace


PROFILE = Profile(Key("ml", "gpu"), "", "", quota_name="gpu-root", tree_id="t-1")
ROOT = Quota(Key("ml", "gpu-root"), "", "", is_root=True, is_parent=True, tree_id="t-1")


def of(*quotas: Quota) -> dict[str, str]:
    return pools.of({PROFILE.key: PROFILE}, {quota.key: quota for quota in quotas})


def test_a_profile_with_its_root_quota_is_a_pool() -> None:
    assert of(ROOT) == {"ml/gpu": "gpu-root"}


def test_a_profile_without_root_quota_has_no_room_yet() -> None:
    assert of() == {"ml/gpu": ""}


def test_a_quota_of_that_name_which_is_not_the_root_of_the_tree_is_no_room() -> None:
    for other in (
        replace(ROOT, is_root=False),
        replace(ROOT, tree_id="t-2"),
        replace(ROOT, key=Key("art", "gpu-root")),
    ):
        assert of(other) == {"ml/gpu": ""}
