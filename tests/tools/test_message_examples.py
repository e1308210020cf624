"""The pages of messages leave out no sentence that the code writes."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import grammar
import rule_index
from elasticquota.integrations import source_status
from elasticquota.model import reason_code, refusal, verdict, wait_reason
from elasticquota.scheduling.starved import StarvedCause
from elasticquota.status import (
    eviction_messages,
    messages,
    pod_messages,
    quota_conditions,
    room_on_its_way,
)
from message_examples import conditions, evictions, refusals, waits
from message_examples.example import Example


ROOT = Path(__file__).parents[2]
WAITS = [*waits.examples(), *waits.admissions()]
MODULES = {
    messages: WAITS,
    pod_messages: WAITS,
    room_on_its_way: WAITS,
    eviction_messages: list(evictions.examples()),
    quota_conditions: list(conditions.examples()),
}
# Keywords of types, and what is said of quotas that the small clusters of the examples lack.
NO_SENTENCES = {
    "fair share",
    "pods of no quota",
    "nothing limits the pods of this quota",
    "nothing yet",
    " among the quotas below",
    "the nodes of the tree may become",
    "the profile declares",
    " is gone: no pod starts in its tree until it is back",
    "nothing, and has no share",
    "its tree",
    "Admitted: it belongs to no quota, so nothing limits it",
    "Admitted: it belongs to the system quota, which nothing limits",
    ": admitted with ",
}


def fragments(path: Path) -> Iterator[str]:
    """The parts of sentences in a module: texts of at least two words, without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    plain = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if id(node) in plain or not isinstance(node, ast.Constant):
            continue
        if isinstance(node.value, str) and len(node.value.split()) > 1:
            yield node.value


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_part_of_a_sentence_stands_in_an_example(module: object) -> None:
    shown = "\n".join(each.text for each in MODULES[module])  # type: ignore[index]
    path = Path(str(module.__file__))  # type: ignore[attr-defined]
    missing = [part for part in fragments(path) if part not in shown and part not in NO_SENTENCES]
    assert missing == []


def test_every_reason_of_a_wait_has_an_example_with_its_code_at_the_end() -> None:
    assert {each.code for each in waits.examples()} == set(get_args(wait_reason.WaitReason))
    for each in waits.examples():
        assert reason_code.at_end(each.text) == each.code


def test_every_message_of_a_wait_is_a_row_of_sentences() -> None:
    for each in waits.examples():
        assert each.text.startswith("Waiting ")
        assert ".." not in each.text
        assert " More: kubectl elastic-quota explain " in each.text


def test_every_message_agrees_with_its_counts() -> None:
    found: list[Example] = [*WAITS, *evictions.examples(), *conditions.examples()]
    assert {
        each.text: wrong
        for each in [*found, *refusals.examples()]
        if (wrong := grammar.faults(each.text))
    } == {}


def test_a_message_fits_an_event() -> None:
    """The API server takes notes of 1 kB."""
    found: list[Example] = [*WAITS, *evictions.examples(), *conditions.examples()]
    assert max(len(each.text.encode()) for each in found) < 700


def written() -> Iterator[tuple[str, ...]]:
    """Type, status and reason of each condition that the code makes; those computed are empty."""
    for path in (ROOT / "operator" / "elasticquota").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Condition":
                parts = node.args[:3]
                yield tuple(
                    str(each.value) if isinstance(each, ast.Constant) else "" for each in parts
                )


def test_each_condition_that_the_code_writes_has_an_example() -> None:
    shown = [each.code.split(" ") for each in conditions.examples()]
    made = set(written())
    lacking = {
        parts
        for parts in made
        if not any(
            all(part in ("", one) for part, one in zip(parts, each, strict=True)) for each in shown
        )
    }
    assert lacking == set()
    assert len(made) > 25


def test_each_reason_that_the_code_computes_has_an_example() -> None:
    of_sources = re.findall(r'_refused\("(\w+)"', inspect.getsource(source_status))
    computed = {
        *(f"Accepted {each == 'Accepted'} {each}" for each in get_args(verdict.Reason)),
        *(f"ReclaimBlocked True {each}" for each in get_args(refusal.Blocker)),
        *(f"Starved True {each}" for each in StarvedCause),
        *(f"Translated False {each}" for each in of_sources),
        f"Ready True {quota_conditions.WITH_WARNINGS}",
        "Reclaiming True BeyondLimits",
        "Reclaiming True OwnerWaits",
    }
    assert computed - {each.code for each in conditions.examples()} == set()
    assert of_sources


def test_each_rule_has_an_answer() -> None:
    shown = {each.code for each in refusals.examples()}
    assert {rule.code for rule in rule_index.rules()} - shown == set()
