"""The groups below one composite group of Kubernetes are one workload."""

from typing import Any

from elasticquota.model.group import GroupObject
from elasticquota.model.key import Key
from elasticquota.pod_groups import composites, objects, table
from elasticquota.pod_groups.composites import Composites


(ROW,) = (row for row in table.BUILT_IN if row.name == "kubernetes")
GANG = {"gang": {"minGroupCount": 2}}


def key(name: str) -> Key:
    return Key("ns", f"kubernetes/{name}")


def manifest(name: str, above: str | None, policy: Any, **spec: Any) -> dict[str, Any]:
    parent = {"parentCompositePodGroupName": above} if above else {}
    return {
        "metadata": {"namespace": "ns", "name": name},
        "spec": {"schedulingPolicy": policy, **parent, **spec},
    }


class Scene:
    """What the ledger is to store, by the name of the group."""

    def __init__(self) -> None:
        self.composites = Composites(ROW.composite)
        self.said: dict[str, GroupObject] = {}

    def group(self, name: str, above: str | None = None, count: int = 2) -> None:
        assert ROW.object is not None
        assert ROW.composite is not None
        document = manifest(name, above, {"gang": {"minCount": count}})
        found = objects.read(document, ROW, ROW.object)
        self._take(self.composites.put(found, composites.parent(document, ROW, ROW.composite)))

    def composite(
        self, name: str, above: str | None = None, policy: Any = GANG, **spec: Any
    ) -> None:
        assert ROW.composite is not None
        document = manifest(name, above, policy, **spec)
        self._take(self.composites.put_composite(composites.read(document, ROW, ROW.composite)))

    def drop(self, name: str) -> None:
        self.said.pop(name, None)
        self._take(self.composites.drop(key(name)))

    def drop_composite(self, name: str) -> None:
        self._take(self.composites.drop_composite(key(name)))

    def _take(self, changed: Any) -> None:
        self.said.update((found.key.name.partition("/")[2], found) for found in changed)

    def together(self, name: str) -> list[str]:
        return [each.name.partition("/")[2] for each in self.said[name].together]

    def fault(self, name: str) -> str:
        return self.said[name].fault


def test_all_groups_below_a_composite_group_start_together() -> None:
    scene = Scene()
    scene.composite("train")
    scene.group("a", "train", 3)
    assert scene.fault("a") == "1 of 2 groups of CompositePodGroup ns/train are there"
    assert scene.said["a"].size == 0
    scene.group("b", "train", 1)
    scene.group("other")
    assert scene.together("a") == scene.together("b") == ["a", "b"]
    assert (scene.said["a"].size, scene.said["b"].size) == (3, 1)
    assert scene.said["other"] == GroupObject(key("other"), 2)


def test_a_group_waits_for_the_composite_group_that_it_names() -> None:
    scene = Scene()
    scene.group("a", "train")
    assert scene.fault("a") == "the CompositePodGroup ns/train above it does not exist"
    scene.composite("train", policy={"gang": {"minGroupCount": 1}})
    assert scene.said["a"] == GroupObject(key("a"), 2)
    scene.drop_composite("train")
    assert scene.fault("a")


def test_groups_of_a_composite_group_without_a_gang_start_each_by_itself() -> None:
    scene = Scene()
    scene.composite("train", policy={"basic": {}})
    for name in ("a", "b"):
        scene.group(name, "train")
        assert scene.said[name] == GroupObject(key(name), 2)


def test_composite_groups_above_each_other_are_one_workload() -> None:
    scene = Scene()
    scene.composite("top")
    for name in ("left", "right"):
        scene.composite(name, "top", {"gang": {"minGroupCount": 1}})
    scene.group("a", "left")
    assert scene.fault("a") == "1 of 2 groups of CompositePodGroup ns/top are there"
    scene.group("b", "right")
    scene.group("c", "right")
    assert scene.together("a") == scene.together("c") == ["a", "b", "c"]
    scene.drop("c")
    assert scene.together("a") == ["a", "b"]


def test_below_an_independent_composite_group_each_part_is_a_workload() -> None:
    scene = Scene()
    scene.composite("top", policy={"basic": {}})
    scene.composite("left", "top")
    for name in ("a", "b"):
        scene.group(name, "left")
    scene.group("c", "top")
    assert scene.together("a") == ["a", "b"]
    assert scene.together("c") == []


def test_a_circle_and_too_many_levels_are_faults_and_end() -> None:
    scene = Scene()
    scene.composite("x", "y")
    scene.composite("y", "x")
    scene.group("a", "x")
    assert scene.fault("a") == "more than 4 CompositePodGroups are above each other"


def test_a_count_that_cannot_be_read_is_a_fault_of_the_groups() -> None:
    scene = Scene()
    scene.composite("train", policy={"gang": {"minGroupCount": "two"}})
    scene.group("a", "train")
    assert scene.fault("a") == (
        "CompositePodGroup ns/train: spec.schedulingPolicy.gang.minGroupCount must be 1 to 99999, "
        "got 'two'"
    )


def test_a_composite_group_has_a_bounded_number_of_groups() -> None:
    scene = Scene()
    scene.composite("train")
    for number in range(65):
        scene.group(f"g-{number}", "train")
    assert scene.fault("g-0") == "CompositePodGroup ns/train has more than 64 groups"
    scene.drop("g-64")
    assert scene.fault("g-0") == ""


def test_all_of_a_composite_group_leave_together_where_it_says_so() -> None:
    scene = Scene()
    scene.composite("train", disruptionMode={"all": {}})
    for name in ("a", "b"):
        scene.group(name, "train")
    assert scene.said["a"].whole
    scene.composite("train", disruptionMode={"single": {}})
    assert not scene.said["a"].whole


def test_a_group_that_names_none_any_more_starts_by_itself() -> None:
    scene = Scene()
    scene.composite("train")
    for name in ("a", "b"):
        scene.group(name, "train")
    scene.group("b")
    assert scene.said["b"] == GroupObject(key("b"), 2)
    assert scene.fault("a") == "1 of 2 groups of CompositePodGroup ns/train are there"


def test_all_documents_together_say_the_same_in_any_order() -> None:
    assert ROW.object is not None
    policy = {"gang": {"minCount": 2}}
    groups = [manifest(name, "train", policy) for name in ("b", "a")]
    above = [manifest("train", None, GANG)]
    said = composites.of_documents(ROW, ROW.object, groups, above)
    assert {found.together for found in said} == {(key("a"), key("b"))}
    (waits, _) = composites.of_documents(ROW, ROW.object, groups, [])
    assert waits.fault == "the CompositePodGroup ns/train above it does not exist"
