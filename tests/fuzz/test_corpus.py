"""Every input that the fuzzer kept, and every one that once broke something, is tried again."""

import runpy
from pathlib import Path

import pytest


HERE = Path(__file__).parent
TARGETS = {
    target: runpy.run_path(str(HERE / file))["one"]
    for target, file in {"manifests": "target.py", "reviews": "reviews.py"}.items()
}
CORPUS = sorted(path for path in (HERE / "corpus").glob("*/*") if path.is_file())


def test_there_is_a_corpus() -> None:
    assert {path.parent.name for path in CORPUS} == set(TARGETS)


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_the_fuzzer_kept_breaks_nothing(path: Path) -> None:
    TARGETS[path.parent.name](path.read_bytes())
