"""Logs are JSON without a terminal and text on a terminal."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from elasticquota_kube import log


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_without_a_terminal_each_line_is_json() -> None:
    stream = io.StringIO()
    log.configure(stream=stream)
    structlog.get_logger("own").info("released", pod="team/a", note="two\nlines")
    logging.getLogger("library").warning("slow %s", "call", extra={"seconds": 3})
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert (first["event"], first["level"], first["pod"]) == ("released", "info", "team/a")
    assert first["note"] == "two\nlines"
    assert first["timestamp"].endswith("Z")
    assert (second["event"], second["level"], second["seconds"]) == ("slow call", "warning", 3)


def test_on_a_terminal_lines_are_text() -> None:
    stream = Terminal()
    log.configure(stream=stream)
    structlog.get_logger("own").info("released")
    assert "released" in stream.getvalue()
    assert not stream.getvalue().startswith("{")


def test_messages_below_the_level_are_left_out() -> None:
    stream = io.StringIO()
    log.configure("json", "warning", stream)
    structlog.get_logger("own").info("released")
    logging.getLogger("library").info("chatter")
    assert stream.getvalue() == ""


def test_an_exception_stays_on_its_line() -> None:
    stream = io.StringIO()
    log.configure("json", stream=stream)
    try:
        int("broken")
    except ValueError:
        structlog.get_logger("own").exception("failed")
    (line,) = stream.getvalue().splitlines()
    assert "ValueError: invalid literal" in json.loads(line)["exception"]


def test_texts_of_users_are_cut_and_command_no_terminal() -> None:
    for stream in (io.StringIO(), Terminal()):
        log.configure(stream=stream)
        structlog.get_logger("own").info("waits", why="\u202eowner " + "K" * 200_000)
        (line,) = stream.getvalue().splitlines()
        assert "\u202e" not in line
        assert len(line) < 5000


def fail(text: str) -> None:
    raise ValueError(text)


def test_a_traceback_with_texts_of_users_commands_no_terminal_and_says_what_was_raised() -> None:
    for stream in (io.StringIO(), Terminal()):
        log.configure(stream=stream)
        try:
            fail("\u202e" + "K" * 200_000 + "is no number")
        except ValueError:
            structlog.get_logger("own").exception("writer broke")
        text = stream.getvalue()
        assert "\u202e" not in text
        assert "is no number" in text
        assert "in test_a_traceback" in text
        assert len(text) < 6000
