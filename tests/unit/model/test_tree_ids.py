"""The ids of trees."""

from elasticquota.model import tree_ids
from elasticquota.model.key import Key
from elasticquota.model.profile import Profile
from elasticquota.model.selector import Selector


def test_a_preset_tree_id_wins() -> None:
    profile = Profile(Key("", "profile2"), "", "", "root", Selector())
    assert tree_ids.of(profile) == "2862971592715028067"
    blue = Profile(Key("", "profile2"), "", "", "root", Selector(), tree_id="blue")
    assert tree_ids.of(blue) == "blue"
