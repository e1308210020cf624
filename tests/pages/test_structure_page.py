"""docs/evidence/structure.md shows the packages and the walks as the code has them."""

import re
from pathlib import Path

import pytest

from evidence import imports, picture, structure, trace


ROOT = Path(__file__).parents[2]
PAGE = (ROOT / structure.PAGE).read_text(encoding="utf-8")
NOW = structure.read_walks((ROOT / structure.WALKS_NOW).read_text(encoding="utf-8"))
BEFORE = structure.read_walks((ROOT / structure.WALKS_BEFORE).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def found() -> imports.Structure:
    return imports.read(ROOT)


def without_sizes(text: str) -> str:
    """Numbers of files and lines change with every commit; ``make reference`` renews them."""
    return re.sub(r"\d[\d,.]*", "0", text)


def test_the_page_is_the_one_that_would_be_written() -> None:
    again = structure.written(PAGE, ROOT)
    assert without_sizes(PAGE) == without_sizes(again), "run: make reference"


def test_the_picture_shows_the_packages_of_today_and_what_they_import(
    found: imports.Structure,
) -> None:
    stored = (ROOT / structure.NOW).read_text(encoding="utf-8")
    assert without_sizes(stored) == without_sizes(picture.draw(found, "Now").svg())
    for name in found.packages:
        assert f">{name.removeprefix('elasticquota.')}</text>" in stored


def test_no_files_import_each_other_in_a_circle(found: imports.Structure) -> None:
    assert found.circles == ()


@pytest.mark.parametrize("name", structure.NAMES)
def test_the_files_and_functions_of_a_walk_exist(name: str) -> None:
    for stay in NOW[name]:
        (path,) = [found for top in imports.ROOTS if (found := ROOT / top / stay.file).exists()]
        function = re.sub(r"\W", "", stay.function.rpartition(".")[2])
        assert function in ("genexpr", "lambda") or f"def {function}(" in path.read_text("utf-8"), (
            f"{stay}: run make walks"
        )


def test_both_walks_of_a_value_are_shown_with_their_counts() -> None:
    assert set(NOW) == set(BEFORE) == set(structure.NAMES)
    for walks in (NOW, BEFORE):
        for walk in walks.values():
            assert f"\n{structure.rooms(walk)} files, {structure.stays(walk)} stays." in PAGE


def test_a_stay_begins_when_another_file_is_left() -> None:
    files = ["a.py", "a.py", "b.py", "a.py"]
    walk = [structure.Stay(file, "f", file == "b.py", "") for file in files]
    counted = (structure.rooms(walk), structure.stays(walk), structure.handed(walk))
    assert counted == (2, 3, 1)


def test_floors_leave_out_what_a_longer_way_implies() -> None:
    arrows = {
        "top": frozenset({"middle", "ground"}),
        "middle": frozenset({"ground"}),
        "ground": frozenset[str](),
    }
    assert imports.floors(arrows) == {"top": 2, "middle": 1, "ground": 0}
    assert imports.direct(arrows)["top"] == {"middle"}


def test_files_in_a_circle_are_found_and_have_no_floor() -> None:
    arrows = {
        "a": frozenset({"b"}),
        "b": frozenset({"c"}),
        "c": frozenset({"a"}),
        "d": frozenset({"a"}),
    }
    assert sorted(imports.circles(arrows)) == [("a", "b", "c"), ("d",)]
    with pytest.raises(ValueError, match="a circle among"):
        imports.floors(arrows)


def test_a_long_line_passes_beside_the_boxes_of_the_floor_between() -> None:
    floors = {"top": 2, "middle": 1, "ground": 0}
    direct = {
        "top": frozenset({"middle", "ground"}),
        "middle": frozenset[str](),
        "ground": frozenset[str](),
    }
    rows, ways = picture.arranged(floors, direct)
    assert ["top", "top ground 1", "ground"] in ways
    assert sorted(rows[1]) == ["middle", "top ground 1"]


def test_a_trace_has_the_functions_that_get_or_return_the_value(tmp_path: Path) -> None:
    file = tmp_path / "traced.py"
    file.write_text(
        "def outer(value):\n    return inner(value)\n\n"
        "def inner(value):\n    return value + 1\n\n"
        "def other(value):\n    return value\n"
    )
    module: dict[str, object] = {}
    exec(compile(file.read_text(), str(file), "exec"), module)
    outer, other = module["outer"], module["other"]
    assert callable(outer)
    assert callable(other)
    traced = trace.Trace("4321", (tmp_path,))
    with traced.on():
        outer(4321)
        other(5)
    assert [(stay.function, stay.handed) for stay in traced.stays] == [
        ("outer", True),
        ("inner", False),
    ]
