"""A long function that binds ``found`` is refused, however it binds it."""

from pathlib import Path

import pytest

import local_names
import product_modules


ROOT = Path(__file__).parents[2]
BINDINGS = (
    "found = 1",
    "found: int = 1",
    "for found in (): pass",
    "x = [found for found in ()]",
    "if found := 1: pass",
    "with open('x') as found: pass",
    "x = lambda found: 1",
    "match 1:\n        case found: pass",
)


def _faults(tmp_path: Path, *statements: str, lines: int, head: str = "def f():") -> list[str]:
    """What is said of a function of so many lines."""
    rows = [head, *(f"    {each}" for each in statements)]
    rows += ["    pass"] * (lines - len("\n".join(rows).split("\n")))
    (tmp_path / "operator").mkdir()
    (tmp_path / "operator" / "a.py").write_text("\n".join(rows) + "\n", "utf-8")
    return list(local_names.faults(tmp_path, ("operator",)))


@pytest.mark.parametrize("statement", BINDINGS)
def test_a_function_of_16_lines_binds_no_found(tmp_path: Path, statement: str) -> None:
    assert _faults(tmp_path, statement, lines=16) == [
        "operator/a.py:1: 'f' has 16 lines and a local 'found': name what it holds "
        "(up to 15 lines may keep the name)"
    ]


@pytest.mark.parametrize("head", ["def f(found):", "def f(*, found=1):", "async def f(*found):"])
def test_nor_is_it_a_parameter_of_one(tmp_path: Path, head: str) -> None:
    assert len(_faults(tmp_path, lines=16, head=head)) == 1


def test_a_function_of_15_lines_may(tmp_path: Path) -> None:
    assert _faults(tmp_path, BINDINGS[0], lines=15) == []


def test_who_only_reads_the_name_or_a_field_of_it_binds_nothing(tmp_path: Path) -> None:
    assert _faults(tmp_path, "x = found", "x.found = f(found=1)", lines=16) == []


def test_the_checked_folders_exist_and_have_none() -> None:
    assert all((ROOT / folder).is_dir() for folder in product_modules.FOLDERS)
    assert list(local_names.faults(ROOT)) == []
