"""Pages show why a pod waits as a cluster says it: ``simulate`` says the same of the files."""

import json
import re
from pathlib import Path

import pytest

from elasticquota_cli import main as cli
from simulated import Screen


ROOT = Path(__file__).parents[3]
PAGES = {
    "README.md": (
        "-f examples/simulate/cluster.yaml --what-if examples/simulate/busy-evening.yaml",
        "-f examples/two-teams",
    ),
    "examples/dra/README.md": (
        "-f examples/dra/1-nodes.yaml -f examples/dra/2-quotas.yaml "
        "-f examples/dra/3-notebooks.yaml -f examples/dra/4-vision.yaml "
        "--what-if examples/dra/5-speech.yaml",
    ),
    "examples/autoscaled/README.md": (
        "-f examples/autoscaled/2-profile.yaml -f examples/autoscaled/3-quotas.yaml "
        "-f examples/autoscaled/4-research.yaml",
    ),
}
"""What is simulated for each page."""

MESSAGE = re.compile(r"Waiting for quota [^`]*?\[\w+\]")
COMMAND = re.compile(r" More: kubectl elastic-quota explain \S+ \S+")
"""A cluster says what else to ask, and a simulation does not."""
BEHIND = re.compile(r"Position (?!1 )\d+ of \d+")
"""How many wait at a moment is another thing in a cluster."""


def pasted(page: str) -> list[str]:
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    return [compared(COMMAND.sub("", found)) for found in MESSAGE.findall(text)]


def compared(message: str) -> str:
    return BEHIND.sub("Position behind others", message)


def simulated(words: str, capsys: Screen) -> set[str]:
    assert cli.main(["simulate", *words.split(), "-o", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    return {compared(pod["message"]) for pod in found.get("waiting") or found["startsWaiting"]}


@pytest.mark.parametrize("page", PAGES)
def test_each_wait_that_a_page_shows_is_that_of_its_files(
    page: str, capsys: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    now = set().union(*(simulated(words, capsys) for words in PAGES[page]))
    shown = pasted(page)
    assert shown
    assert [each for each in shown if each not in now] == []
