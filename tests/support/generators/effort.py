"""How hard the laws are tried: a minute at every desk, an hour when somebody asks for it.

``HYPOTHESIS_PROFILE=thorough pytest tests/properties --timeout 3600`` is the long run. In CI the
examples are the same every time; everywhere else they are new each time. ``mutants`` is for
``make mutants``, which runs the laws a thousand times: few examples, the same for every mutant, and
the first one that fails is enough.
"""

import os
from collections.abc import Callable
from typing import TypeVar

from hypothesis import HealthCheck, Phase, settings


Test = TypeVar("Test", bound=Callable[..., None])

_USUAL = settings(deadline=None, derandomize=bool(os.environ.get("CI")), max_examples=40)
_PROFILES = {
    "laws": _USUAL,
    "thorough": settings(_USUAL, max_examples=3000),
    "mutants": settings(
        _USUAL,
        max_examples=5,
        derandomize=True,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=(HealthCheck.too_slow,),
    ),
}


def choose() -> None:
    """Load the profile that the environment variable HYPOTHESIS_PROFILE names."""
    for name, profile in _PROFILES.items():
        settings.register_profile(name, profile)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "laws"))


def one_in(number: int) -> Callable[[Test], Test]:
    """For long histories and trees of thousands: so many times fewer examples, but some."""
    default = settings.default or _USUAL
    most = max(3, default.max_examples // number)

    def lighten(test: Test) -> Test:
        return settings(default, max_examples=most)(test)

    return lighten
