"""External systems that run their own programs beside the operator, each for one module."""

from collections.abc import Iterator

import pytest

from installation import Installation


@pytest.fixture(scope="module")
def queueing(product: Installation) -> Iterator[None]:
    """Jobs are queued; give them little time, as no test waits for minutes."""
    values = {
        "dialects": {"jobs": True},
        "crds": {"dialects": {"jobs": True}},
        "config": {"jobs": {"startTimeoutSeconds": 60, "stopTimeoutSeconds": 30}},
    }
    with product.upgraded(values):
        yield
