"""Judges the content of each law after it ran, and prints a table of all: ``pytest --content``."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

import effort
import law_content
from law_content import SUBJECTS, Content, Subject


_PARTS: Final = pytest.StashKey[dict[str, tuple[int, dict[Subject, float]]]]()
"""By law: how many examples it had, and in what part of them each subject occurred."""
_OUTPUT: Final = "content of laws"


def add_option(parser: pytest.Parser) -> None:
    parser.addoption(
        "--content",
        action="store_true",
        help="print what occurred in which part of the examples of each law",
    )


@contextmanager
def judged(item: pytest.Item) -> Iterator[None]:
    """Fail a law that passed although its subjects were rare, or that states none and decides."""
    law = getattr(item, "obj", None)
    if getattr(law, "hypothesis", None) is None:  # a plain test, or a state machine
        yield
        return
    with law_content.watched(law) as content:
        yield
    if not content.decides and not content.counts:
        return
    parts: dict[Subject, float] = {subject: content.part(subject) for subject in SUBJECTS}
    item.config.stash.setdefault(_PARTS, {})[item.nodeid] = (content.examples, parts)
    faults = _faults(item, content)
    if faults:
        pytest.fail("; ".join(faults), pytrace=False)


def _faults(item: pytest.Item, content: Content) -> list[str]:
    wanted = law_content.wanted(item)
    if wanted is None:
        return ["a law that decides states what it is about: @law_content.about(...)"]
    return content.rare(wanted, pinned=effort.pinned(item.config))


def hand_over(session: pytest.Session) -> None:
    """At the end of a worker (pytest-xdist): its figures go to the process that prints them."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_OUTPUT] = session.config.stash.get(_PARTS, {})


def take_over(config: pytest.Config, worker: Any) -> None:
    """When a worker has ended: keep its figures."""
    output = getattr(worker, "workeroutput", {})
    config.stash.setdefault(_PARTS, {}).update(output.get(_OUTPUT, {}))


def show(terminal: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the table where it is asked for: in what part of its examples a law sees what."""
    laws = config.stash.get(_PARTS, {})
    if not laws or not config.getoption("--content", default=False):
        return
    terminal.section("examples of each law, and in what part of them its subjects occur")
    for name, (examples, parts) in sorted(laws.items()):
        said = ", ".join(f"{subject} {part:.0%}" for subject, part in parts.items() if part)
        terminal.write_line(f"{examples:5} {name.rpartition('/')[2]}: {said or 'nothing'}")
