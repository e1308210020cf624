"""Every input that the fuzzer kept, and every one that once broke something, is tried again."""

import runpy
from pathlib import Path

import pytest


HERE = Path(__file__).parent
CORPUS = sorted(path for path in (HERE / "corpus").iterdir() if path.is_file())
one = runpy.run_path(str(HERE / "target.py"))["one"]


def test_there_is_a_corpus() -> None:
    assert len(CORPUS) > 20


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_what_the_fuzzer_kept_breaks_nothing(path: Path) -> None:
    one(path.read_bytes())
