"""Fixtures for the tests of events on owners."""

from collections.abc import AsyncIterator

import pytest

import owned_pods
from owned_pods import Owned


@pytest.fixture
async def owned() -> AsyncIterator[Owned]:
    async with owned_pods.owned() as found:
        yield found
