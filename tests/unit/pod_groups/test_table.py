"""The table of systems: chosen by name, extended and replaced by rows of the user."""

from elasticquota.pod_groups import table
from elasticquota.pod_groups.adapter import PodGroupAdapter


def test_none_is_chosen_unless_it_is_named() -> None:
    assert table.chosen([]) == ()
    assert [each.name for each in table.chosen(["yunikorn", "volcano"])] == ["volcano", "yunikorn"]


def test_a_row_of_the_user_replaces_the_built_in_one_of_its_name() -> None:
    mine = PodGroupAdapter("volcano", group=("example.com/group",), size=("example.com/size",))
    assert table.chosen(["koordinator", "volcano"], [mine])[1:] == (mine,)


def test_every_row_knows_a_size() -> None:
    for row in table.BUILT_IN:
        assert row.object or row.size or row.definitions
