"""External systems that run their own programs beside the operator, each for one module."""

import pytest

from users import Document


@pytest.fixture(scope="module")
def values() -> Document:
    """Jobs are queued; give them little time, as no test waits for minutes."""
    return {
        "dialects": {"jobs": True},
        "crds": {"dialects": {"jobs": True}},
        "config": {"jobs": {"startTimeoutSeconds": 60, "stopTimeoutSeconds": 30}},
    }
