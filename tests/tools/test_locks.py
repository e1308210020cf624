"""What is installed is what was locked: each package with the hashes of its files."""

import re
from pathlib import Path

import pytest


ROOT = Path(__file__).parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_every_package_is_pinned_by_hash(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert lines
    for line in lines:
        assert re.match(r"[\w.-]+(\[[\w,]+\])?==\S+ ", line), line
        assert "--hash=sha256:" in line, line


def test_a_process_has_neither_models_nor_another_client() -> None:
    """Kopf imports pykube and kubernetes wherever they are installed: 20 MB and 0.2 s."""
    text = (ROOT / "requirements" / "runtime.txt").read_text(encoding="utf-8")
    there = set(re.findall(r"^([\w.-]+)==", text, re.MULTILINE))
    assert "kopf" in there
    assert there & {"pydantic", "pydantic-core", "kubernetes", "pykube-ng"} == set()


def test_the_image_installs_nothing_without_a_hash() -> None:
    installs = [
        line
        for line in (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
        if "pip install" in line or "pip wheel" in line
    ]
    assert installs
    for line in installs:
        assert "--require-hashes" in line or "--no-deps" in line, line
