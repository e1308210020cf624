"""Bytes of a watch arrive in chunks of any size, and become complete lines."""

from collections.abc import AsyncIterator

import pytest

from elasticquota_kube.informer import watch_lines


async def pieces(content: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


async def lines(content: bytes, size: int) -> list[bytes]:
    return [line async for batch in watch_lines.split(pieces(content, size)) for line in batch]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
async def test_lines_are_whole_and_not_blank_however_they_arrive(size: int) -> None:
    sent = b"first\nsecond\n\n \r\n\t\n third\nto"
    assert await lines(sent, size) == [b"first", b"second", b" third"]


async def test_pieces_without_a_whole_line_yield_nothing() -> None:
    assert [batch async for batch in watch_lines.split(pieces(b"a whole line\n", 5))] == [
        [b"a whole line"]
    ]
