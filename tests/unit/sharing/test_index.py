"""Every quota has an index, numbered group by group and level by level, from the root on."""

import forests
from elasticquota import names
from elasticquota.sharing.index import ROOT, IndexLevel, TreeIndex


def index(line: str, tree_id: str = names.DEFAULT_TREE) -> TreeIndex:
    built = forests.forest(line)
    return TreeIndex(built.trees[tree_id], built)


def test_siblings_sit_in_the_order_of_names_and_before_the_pods_of_their_parent() -> None:
    found = index("top root=blue; q<top; p<top; b<p; a<p", "blue")
    assert found.slot_of == {"top": ROOT, "p": 1, "q": 2, "a": 4, "b": 5}
    assert found.tables == [(0, 1, 4, ROOT), (1, 4, 7, found.slot_of["p"])]
    assert found.table_at == [-1, 0, 0, 0, 1, 1, 1]
    assert found.inner == [[(found.slot_of["p"], 1)], []]


def test_tables_are_laid_level_by_level() -> None:
    found = index("top root=blue; q<top; p<top; b<q; c<q; a<p; z<b", "blue")
    first, second, third, fourth = found.tables
    assert found.levels == (
        IndexLevel(0, 1, ()),
        IndexLevel(1, 4, (first,)),
        IndexLevel(4, 9, (second, third)),
        IndexLevel(9, 11, (fourth,)),
    )
    assert found.level_of == [1, 2, 2, 3]


def test_pods_come_in_where_their_quota_sits_or_at_the_last_seat_of_its_table() -> None:
    found = index("top root=blue; p<top; a<p", "blue")
    assert found.own_slot == {"top": 2, "p": 4, "a": 3}
    own = {"a": {"cpu": 1}, "p": {"cpu": 2}}
    assert found.by_slot(own) == [(3, {"cpu": 1}), (4, {"cpu": 2})]


def test_a_childless_root_lays_no_table() -> None:
    found = index("top root=blue", "blue")
    assert (found.tables, found.own_slot) == ([], {"top": ROOT})
    assert "top" in found
    assert "nobody" not in found


def test_the_ceiling_is_the_smallest_max_above() -> None:
    found = index("top root=blue ..9; p<top ..7; q<p ..8 keep; a<q ..5", "blue")
    claims = {name: found.claims[slot] for name, slot in found.slot_of.items()}
    above = {name: claim.ceiling for name, claim in claims.items()}
    seven = {forests.DEVICE: 7}
    assert above == {"top": {}, "p": {}, "q": seven, "a": seven}
    assert [name for name, claim in claims.items() if claim.keeps] == ["q"]
