"""The root quotas that profiles name, before the controller made them."""

from typing import Any

from elasticquota import names
from elasticquota.derived import roots_to_come
from elasticquota.forest import acceptance
from elasticquota.model import tree_ids
from elasticquota.model.key import Key
from elasticquota.model.pools import Pools
from elasticquota.model.profile import Profile
from elasticquota.model.quota import Quota


def profile(name: str, root: str, created: str = "1", **said: Any) -> Profile:
    return Profile(Key("system", name), f"uid-{name}", created, root, **said)


def test_a_root_stands_at_the_top_of_the_tree_of_its_profile() -> None:
    pool = profile("pool", "pool-root", pools=Pools(()), observes=True)
    (root,) = roots_to_come.of([pool]).values()
    forest = acceptance.build([root])
    assert root.key == Key("system", "pool-root")
    assert forest.trees[tree_ids.of(pool)].root == "pool-root"
    assert forest.accepted("pool-root")
    assert (root.profile, root.pools, root.observes) == ("pool", Pools(()), True)


def test_no_min_is_judged_by_what_it_guarantees() -> None:
    """Guarantee mode compares with what the nodes offer, which is not known yet."""
    (root,) = roots_to_come.of([profile("pool", "pool-root", guarantee_usage=True)]).values()
    assert (root.guarantee_usage, root.total) == (False, None)


def test_a_stored_quota_keeps_its_name_and_its_tree() -> None:
    stored = Quota(Key("teams", "pool-root"), "uid", "2026-11-27T00:00:00Z")
    (root,) = roots_to_come.of([profile("pool", "pool-root")]).values()
    assert acceptance.build([root, stored]).quotas["pool-root"] == stored


def test_of_two_profiles_with_the_same_root_the_older_one_counts() -> None:
    young, old = profile("young", "root", "2"), profile("old", "root", "1")
    (root,) = roots_to_come.of([old, young]).values()
    assert root.profile == "old"


def test_profiles_that_get_no_root_name_none() -> None:
    without = [
        profile("nameless", ""),
        profile("reserved", names.ROOT_QUOTA),
        profile("unreadable", "unreadable-root", selects_unknown=True),
    ]
    assert roots_to_come.of(without) == {}
