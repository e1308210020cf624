"""Fixtures of the controller's parts."""

from collections.abc import AsyncIterator

import pytest

import writer_fixture
from writer_fixture import Scene


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    """A double of the API server, and what the parts of a controller are built with."""
    async with writer_fixture.scene() as found:
        yield found
