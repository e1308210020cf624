"""Runbooks, how-to guides and service levels name only what the product has.

The parser of the command line reads each command, and names are compared with the code.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import exposed_series
import page_blocks
import page_commands
from elasticquota_cli import verbs
from elasticquota_kube.eviction import EvictionAnswer
from reference_pages import alerts, reasons


ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.glob("runbooks/*.md")), *sorted(DOCS.glob("how-to/*.md")), DOCS / "slo.md"]

KUBERNETES = {"DisruptionTarget", "PodScheduled", "SchedulingGated"}
OTHERS = {
    "ServerSideApply": "of Argo CD",
    "QueueUnit": "of kube-queue",
    **dict.fromkeys(
        ("Limit", "NoNode", "FairShare", "Guarantee", "Priority", "Top", "History", "List"),
        "of the reports for programs",
    ),
    "JobStandIn": "of the reports for programs",
    **dict.fromkeys(("InPlace", "InPlaceOrRecreate", "Recreate", "Initial"), "of VPA"),
}
OF_KOORDINATOR = "from-koordinator.md"
"""Its words are names of Koordinator's settings."""

_WORD = re.compile(r"`([A-Z][a-z]+(?:[A-Z][a-z]+)*)(?:=\w+)?`")
_CONDITION = re.compile(r'@\.type=="(\w+)"')
_EVENT = re.compile(r"--field-selector reason=(\w+)")
_LOG = re.compile(r'grep (?:-\w+ )*"([^"]+)"')
_SECTIONS = "config|controller|webhook|networkPolicy|metrics|flowSchema|policy|crds|dialects|image"
_VALUE = re.compile(
    rf"--set(?:-json|-file)? ([\w.]+)=|`((?:{_SECTIONS})\.[\w.]+)(?:[:=][^`]*)?`",
)

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)


@cache
def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@cache
def stated() -> set[str]:
    """Each condition, each reason, and each kind of event of the controller."""
    return set(re.findall(r"`(\w+)`", text(reasons.PAGE)))


@cache
def sources() -> str:
    files = sorted([*ROOT.glob("operator/**/*.py"), *ROOT.glob("webhooks/**/*.py")])
    return "\n".join(text(path) for path in files)


@cache
def values() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(text(ROOT / "charts/elastic-quota-operator/values.yaml"))
    return found


def has(tree: Any, path: str) -> bool:
    """Whether the values have the key; below an empty map every key is the user's."""
    for name in path.split("."):
        if tree == {}:
            return True
        if not isinstance(tree, dict) or name not in tree:
            return False
        tree = tree[name]
    return True


@each_page
def test_each_command_of_a_block_is_one_that_the_command_line_accepts(page: Path) -> None:
    for words in page_commands.whole(text(page)):
        verb = verbs.of(words[0])
        assert verb is not None, words
        verb.parser("kubectl elastic-quota").read(words[1:])  # ends the test where it is refused


@each_page
def test_each_command_that_a_sentence_names_exists(page: Path) -> None:
    for words in page_commands.mentioned(text(page)):
        assert verbs.of(words[0]) is not None, words


@each_page
def test_each_series_exists_and_has_the_labels_that_are_asked_for(page: Path) -> None:
    known = exposed_series.exposed()
    spans = re.findall(r"`([^`\n]*elasticquota_[^`\n]*)`", page_blocks.sentences(text(page)))
    blocks = [block.text for block in page_blocks.of(text(page))]
    for expression in [*blocks, *spans]:
        for name, labels in exposed_series.asked(expression):
            assert name in known or any(each.startswith(f"{name}_") for each in known), name
            assert labels <= known.get(name, labels), (name, labels)


@each_page
def test_each_condition_and_event_that_is_looked_for_can_be_there(page: Path) -> None:
    for name in _CONDITION.findall(text(page)) + _EVENT.findall(text(page)):
        assert name in stated() | KUBERNETES, name


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != OF_KOORDINATOR], ids=lambda path: path.name
)
def test_each_condition_and_reason_that_is_named_exists(page: Path) -> None:
    known = {
        *stated(),
        *KUBERNETES,
        *OTHERS,
        *EvictionAnswer,
        *(each.name for each in alerts.ALERTS),
    }
    kinds = {"ElasticQuota", "ElasticQuotaProfile"}
    assert set(_WORD.findall(page_blocks.sentences(text(page)))) <= known | kinds


@each_page
def test_each_log_line_that_is_searched_for_is_one_that_the_code_writes(page: Path) -> None:
    for line in _LOG.findall(text(page)):
        assert re.search(rf'\blog\.\w+\(\s*"{re.escape(line)}', sources()), line


@each_page
def test_each_value_of_the_chart_that_is_named_exists(page: Path) -> None:
    for pair in _VALUE.findall(text(page)):
        (path,) = filter(None, pair)
        assert has(values(), path.rstrip(".")), path


def test_the_pages_have_enough_of_each_for_these_tests() -> None:
    """So that a pattern which no longer matches is noticed."""
    whole = "\n".join(map(text, PAGES))
    assert len([words for page in PAGES for words in page_commands.whole(text(page))]) > 30
    assert len(_CONDITION.findall(whole)) >= 5
    assert len(_EVENT.findall(whole)) > 2
    assert len(_LOG.findall(whole)) > 3
    assert len(_VALUE.findall(whole)) > 30
