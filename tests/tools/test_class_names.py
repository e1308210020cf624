"""A second class of the same name is found, wherever in the product it is."""

from pathlib import Path

import pytest

import class_names


def _write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, "utf-8")


def test_a_second_class_of_the_same_name_is_refused_with_both_places(tmp_path: Path) -> None:
    _write(tmp_path, "operator/a/pools.py", "class Pool: ...\n")
    _write(tmp_path, "webhooks/b/pools.py", "\nclass Pool: ...\n")
    assert list(class_names.faults(tmp_path, {})) == [
        "operator/a/pools.py:1: 2 classes are called 'Pool', rename one: "
        "operator/a/pools.py:1, webhooks/b/pools.py:2"
    ]


def test_an_exception_allows_its_number_of_classes_and_not_one_more(tmp_path: Path) -> None:
    _write(tmp_path, "operator/a/pools.py", "class Pool: ...\n")
    _write(tmp_path, "importers/b/pools.py", "class Pool: ...\n")
    assert list(class_names.faults(tmp_path, {"Pool": 2})) == []
    _write(tmp_path, "operator/c/pools.py", "class Pool: ...\n")
    assert len(list(class_names.faults(tmp_path, {"Pool": 2}))) == 1


def test_an_exception_without_need_is_found(tmp_path: Path) -> None:
    _write(tmp_path, "operator/a/pools.py", "class Pool: ...\n")
    assert list(class_names.faults(tmp_path, {"Pool": 2})) == [
        "operator/a/pools.py:1: 'Pool' is one class: remove it from the list in class_names.py"
    ]


@pytest.mark.parametrize("folder", ["tests", "tools", "benchmarks"])
def test_classes_outside_of_the_product_are_left_alone(tmp_path: Path, folder: str) -> None:
    _write(tmp_path, "operator/a/pools.py", "class Pool: ...\n")
    _write(tmp_path, f"{folder}/pools.py", "class Pool: ...\n")
    assert list(class_names.faults(tmp_path, {})) == []


def test_a_nested_class_may_have_the_name_of_another(tmp_path: Path) -> None:
    _write(tmp_path, "operator/a/pools.py", "class Pool: ...\n")
    _write(tmp_path, "operator/a/meta.py", "class Model:\n    class Pool: ...\n")
    assert list(class_names.faults(tmp_path, {})) == []


def test_the_product_has_no_class_name_twice() -> None:
    assert list(class_names.faults(Path(__file__).parents[2])) == []
