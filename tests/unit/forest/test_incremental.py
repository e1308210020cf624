"""An edit is judged where it acts; only one that moves other quotas judges all of them again.

That both come to the same is the law of ``tests/properties/test_incremental_forest.py``.
"""

from collections.abc import Mapping

import pytest

import forests
from elasticquota import names
from elasticquota.forest import acceptance
from elasticquota.forest.incremental import ONE_BY_ONE, IncrementalForest
from elasticquota.forest.settings import NOWHERE, SharingTerms, TreeSelection
from elasticquota.forest.structure import Forest
from elasticquota.model.fault import Fault
from elasticquota.model.key import Key
from elasticquota.model.quota import Quota
from elasticquota.structs import replace


class Scene:
    """Stored quotas, their forest, and how often all were judged since."""

    def __init__(self, line: str, monkeypatch: pytest.MonkeyPatch, chosen: SharingTerms) -> None:
        self.stored = {quota.key: quota for quota in forests.quotas(line)}
        self._followed = IncrementalForest(chosen, self.stored.values())
        self.judged = 0
        self._build = acceptance.build
        monkeypatch.setattr(acceptance, "build", self._counted)

    def _counted(self, *args: object) -> Forest:
        self.judged += 1
        return self._build(*args)  # type: ignore[arg-type]

    @property
    def forest(self) -> Forest:
        return self._followed.forest

    def edit(self, name: str, **changes: object) -> None:
        quota = self.stored[Key("ns", name)]
        self.put(quota, replace(quota, **changes))

    def put(self, old: Quota | None, new: Quota | None) -> None:
        changes: dict[Key, Quota | None] = {}
        for gone in [old] if old is not None else []:
            changes[gone.key] = None
        for come in [new] if new is not None else []:
            changes[come.key] = come
        self.put_all(changes)

    def put_all(self, changes: Mapping[Key, Quota | None]) -> None:
        stored = {**self.stored, **changes}
        self.stored = {key: quota for key, quota in stored.items() if quota is not None}
        self._followed.update(changes)
        assert self.forest == self._build(self.stored.values(), self.forest.terms)

    def reason(self, name: str) -> str:
        return self.forest.verdicts[Key("ns", name)].reason


DEPARTMENT = "dept 20..100; b<dept 5..60; a<dept 10..40; c<a 4..; d<c 1.."


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(DEPARTMENT, monkeypatch, SharingTerms())


def anew(line: str) -> Quota:
    (quota,) = (quota for quota in forests.quotas(line) if quota.name == "new")
    return replace(quota, created="z", uid="z")


def test_other_amounts_cost_no_other_quota_a_judgement(scene: Scene) -> None:
    scene.edit("a", min={"device": 15}, max={"device": 50}, faults=(Fault("", "x"),))
    assert scene.judged == 0


def test_namespaces_that_a_quota_binds_are_followed_up(scene: Scene) -> None:
    scene.edit("a", namespaces=("x", "y"))
    assert scene.judged == 0
    assert scene.forest.index.binders == {"x": ("a",), "y": ("a",)}
    scene.edit("a", namespaces=())
    assert scene.forest.index.binders == {}


def test_other_amounts_of_a_parent_with_a_list_cost_no_other_quota_a_judgement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene("dept 20.. adopts=ns; a<dept 10..", monkeypatch, SharingTerms())
    scene.edit("dept", min={"device": 21})
    assert scene.judged == 0


@pytest.mark.parametrize(
    ("parent", "reason"),
    [
        ("dept", "Accepted"),
        ("not-there", "ParentNotFound"),
        (names.SYSTEM_QUOTA, "ParentNotAParent"),
        (names.DEFAULT_QUOTA, "ParentNotAParent"),
    ],
)
def test_a_new_quota_costs_no_other_quota_a_judgement(
    scene: Scene, parent: str, reason: str
) -> None:
    scene.put(None, replace(anew("dept; new<dept 5.."), parent=parent))
    assert (scene.reason("new"), scene.judged) == (reason, 0)
    assert ("new" in scene.forest.tree_of) is (parent == "dept")


def test_a_deleted_quota_costs_no_other_quota_a_judgement(scene: Scene) -> None:
    scene.put(scene.stored[Key("ns", "b")], None)
    assert scene.judged == 0


@pytest.mark.parametrize(
    "change",
    [
        {"parent": "b"},
        {"is_parent": False},
        {"is_root": True},
        {"tree_id": "blue"},
        {"created": "0"},
        {"uid": "0"},
        {"guarantee_usage": True},
        {"child_namespaces": ()},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_decides_where_quotas_stand_has_all_judged_again(
    scene: Scene, change: dict[str, object]
) -> None:
    scene.edit("a", **change)
    assert scene.judged == 1


def test_a_name_that_another_object_waits_for_has_all_judged_when_it_is_given_up(
    scene: Scene,
) -> None:
    second = replace(scene.stored[Key("ns", "b")], key=Key("other", "b"), uid="z", created="z")
    scene.put(None, second)
    assert scene.judged == 1
    scene.put(scene.stored[Key("ns", "b")], None)
    assert scene.judged == 2
    assert scene.forest.quotas["b"] == second


def test_who_does_not_hold_its_name_is_not_followed_up(scene: Scene) -> None:
    second = replace(scene.stored[Key("ns", "b")], key=Key("other", "b"), uid="z", created="z")
    scene.put(None, second)
    scene.put(second, replace(second, min={"device": 1}))
    assert scene.judged == 2
    scene.put(scene.stored[Key("other", "b")], None)
    assert scene.judged == 3
    assert scene.forest.quotas["b"].key.namespace == "ns"


@pytest.mark.parametrize("name", sorted(names.RESERVED_QUOTAS))
def test_a_reserved_name_has_all_judged_again(scene: Scene, name: str) -> None:
    quota = anew("dept; new<dept")
    scene.put(None, replace(quota, key=Key("ns", name)))
    assert scene.judged == 1


def test_who_is_named_as_parent_has_all_judged_when_it_comes_or_goes(scene: Scene) -> None:
    scene.put(scene.stored[Key("ns", "a")], None)
    assert scene.judged == 1


def test_a_verdict_is_followed_down_as_far_as_it_changes_others(scene: Scene) -> None:
    """Below a stands c, and d below that."""
    scene.edit("a", min={"device": 16})
    assert [scene.reason(name) for name in "acd"] == ["MinExceedsParent"] * 3
    scene.edit("a", min={"device": 15})
    assert [scene.reason(name) for name in "acd"] == ["Accepted"] * 3
    assert scene.judged == 0


def test_sums_pass_where_the_tree_lets_them_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = SharingTerms(sums_refused=TreeSelection(usually=True, other_trees=frozenset({"blue"})))
    line = "top root=blue 9..; p<top 5..; a<p 4..; b<p 1.."
    scene = Scene(line, monkeypatch, chosen)
    scene.edit("b", min={"device": 2})
    assert scene.reason("b") == "Accepted"
    scene = Scene("p 5..; a<p 4..; b<p 1..", monkeypatch, SharingTerms(sums_refused=NOWHERE))
    scene.edit("b", min={"device": 2})
    assert scene.reason("b") == "Accepted"
    assert scene.judged == 0


@pytest.mark.parametrize(("edits", "judgements"), [(ONE_BY_ONE, 0), (ONE_BY_ONE + 1, 1)])
def test_many_edits_at_a_time_have_all_judged_again(
    scene: Scene, edits: int, judgements: int
) -> None:
    quota = anew("dept; new<dept 1..")
    come = [replace(quota, key=Key("ns", f"new{number}")) for number in range(edits)]
    scene.put_all({each.key: each for each in come})
    assert scene.judged == judgements


def test_a_name_that_another_object_gets_at_the_same_time_has_all_judged_again(
    scene: Scene,
) -> None:
    old = scene.stored[Key("ns", "b")]
    new = replace(old, key=Key("other", "b"), parent=names.ROOT_QUOTA)
    scene.put_all({old.key: None, new.key: new})
    assert scene.judged == 1
    assert scene.forest.quotas["b"] == new


def test_a_quota_that_is_shown_unchanged_affects_nothing(scene: Scene) -> None:
    before = scene.forest
    scene.edit("a")
    assert scene.forest is before


def test_a_published_total_of_the_default_tree_is_followed_without_judging(scene: Scene) -> None:
    root = Quota(Key("ns", names.ROOT_QUOTA), "uid", "", is_parent=True, total={"device": 1})
    scene.put(None, root)
    before = scene.judged
    for total in ({"device": 2}, None, {"device": 3}):
        scene.put_all({root.key: replace(root, total=total)})
        assert scene.forest.quotas[names.ROOT_QUOTA].total == total
    assert scene.judged == before


def test_the_total_of_an_object_that_is_ignored_counts_for_nothing(scene: Scene) -> None:
    root = Quota(Key("ns", names.ROOT_QUOTA), "uid", "", min={"device": 1}, total={"device": 1})
    scene.put(None, root)
    scene.put_all({root.key: replace(root, total={"device": 2})})
    assert scene.forest.quotas[names.ROOT_QUOTA].total is None


def test_of_two_published_totals_the_older_one_counts(scene: Scene) -> None:
    root = Quota(Key("ns", names.ROOT_QUOTA), "uid", "1", is_parent=True, total={"device": 1})
    scene.put(None, root)
    later = replace(root, key=Key("other", names.ROOT_QUOTA), created="2", total={"device": 5})
    scene.put(None, later)
    scene.put_all({later.key: replace(later, total={"device": 6})})
    scene.put_all({root.key: replace(root, total={"device": 2})})
    assert scene.forest.quotas[names.ROOT_QUOTA].total == {"device": 2}


@pytest.mark.parametrize("top", ["q0", "q0 root=blue"])
def test_a_chain_that_grows_quota_by_quota_ends_at_the_32nd_level(top: str) -> None:
    quotas = forests.quotas("; ".join([top, *(f"q{n}<q{n - 1} parent" for n in range(1, 40))]))
    followed = IncrementalForest(SharingTerms())
    for quota in quotas:
        followed.update({quota.key: quota})
    assert followed.forest == acceptance.build(quotas)
    assert followed.forest.accepted("q31")
    assert not followed.forest.accepted("q32")
