"""The tail of a log is found by counting lines from the end."""

import pytest

from local_cluster.process_node import logserver


@pytest.mark.parametrize(
    ("content", "lines", "rest"),
    [
        (b"a\nb\nc\n", 1, b"c\n"),
        (b"a\nb\nc\n", 2, b"b\nc\n"),
        (b"a\nb\nc", 1, b"c"),
        (b"a\nb\nc\n", 9, b"a\nb\nc\n"),
        (b"a\nb\nc\n", 0, b""),
        (b"", 3, b""),
        (b"\n\n", 1, b"\n"),
    ],
)
def test_the_last_lines_of_a_log_are_found(content: bytes, lines: int, rest: bytes) -> None:
    assert content[logserver.tail(content, lines) :] == rest
