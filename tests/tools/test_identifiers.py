"""A name of the product with a refused form is reported, whatever has it, however it is written."""

from pathlib import Path

import pytest

import identifiers
import prose


STYLE = prose.Style(
    f"{prose.SECTION}\n\n| do not write | write |\n|---|---|\n"
    "| gadget | device |\n| gives back | returns |\n"
)


def _faults(
    tmp_path: Path, source: str, name: str = "a.py", exceptions: dict[str, str] | None = None
) -> list[str]:
    (tmp_path / "operator").mkdir()
    (tmp_path / "operator" / name).write_text(source + "\n", "utf-8")
    return list(identifiers.faults(tmp_path, STYLE.findings, exceptions or {}, ("operator",)))


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("def _gadget(): ...", "_gadget"),
        ("async def f():\n    gadget = 1", "gadget"),
        ("class _Gadget: ...", "_Gadget"),
        ("def f(gadget): ...", "gadget"),
        ("def f(*, is_gadget=1): ...", "is_gadget"),
        ("x.gadget_of = 1", "gadget_of"),
        ("import json as gadget", "gadget"),
        ("match 1:\n    case gadget: ...", "gadget"),
        ("x = 'GadgetTwice'", "GadgetTwice"),
    ],
)
def test_a_name_with_a_refused_word(tmp_path: Path, source: str, name: str) -> None:
    (found,) = _faults(tmp_path, source)
    assert found.startswith("operator/a.py:")
    assert found.endswith(f": 'gadget': write device (in the name {name!r})")


@pytest.mark.parametrize(
    "source", ["def gives_back(): ...", "class GivesBack: ...", "GIVES_BACK = 1"]
)
def test_a_form_of_two_words(tmp_path: Path, source: str) -> None:
    assert len(_faults(tmp_path, source)) == 1


def test_the_name_of_a_module(tmp_path: Path) -> None:
    assert _faults(tmp_path, "", "gadget.py") == [
        "operator/gadget.py:1: 'gadget': write device (in the name 'gadget')"
    ]


@pytest.mark.parametrize("source", ["gadgets = 1", "f(gadget)", "x = y.gadget", "x = 'gadget'"])
def test_parts_of_words_and_names_of_others_are_left_alone(tmp_path: Path, source: str) -> None:
    assert _faults(tmp_path, source) == []


def test_an_exception_is_left_alone_and_has_to_be_needed(tmp_path: Path) -> None:
    exceptions = {"gadget": "a field of others", "gives_back": "gone"}
    assert _faults(tmp_path, "gadget = 1", exceptions=exceptions) == [
        "'gives_back' is no name in the product: remove it from the list in identifiers.py"
    ]


def test_the_product_has_none() -> None:
    style = prose.Style(prose.PAGE.read_text("utf-8"))
    assert list(identifiers.faults(prose.ROOT, style.findings)) == []
