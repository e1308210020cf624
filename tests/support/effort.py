"""How hard the laws are tried: a minute at every desk, an hour when somebody asks for it.

``HYPOTHESIS_PROFILE=thorough pytest tests/laws --timeout 3600`` is the long run. In CI the
examples are the same every time; everywhere else they are new each time.
"""

import os
from collections.abc import Callable
from typing import TypeVar

from hypothesis import settings


Test = TypeVar("Test", bound=Callable[..., None])

_USUAL = settings(deadline=None, derandomize=bool(os.environ.get("CI")), max_examples=60)
_PROFILES = {"laws": _USUAL, "thorough": settings(_USUAL, max_examples=3000)}


def choose() -> None:
    """Load the profile that the environment variable HYPOTHESIS_PROFILE names."""
    for name, profile in _PROFILES.items():
        settings.register_profile(name, profile)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "laws"))


def few(test: Test) -> Test:
    """For examples of thousands of quotas: a tenth as many of them."""
    default = settings.default or _USUAL
    return settings(default, max_examples=max(1, default.max_examples // 10))(test)
