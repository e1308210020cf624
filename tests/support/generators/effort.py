"""How many examples the laws get: a minute's worth by default, an hour's worth on request.

``HYPOTHESIS_PROFILE=thorough pytest tests/properties --timeout 3600`` is the long run, and ``make
laws`` repeats the laws with new seeds. In CI each law has a seed of its own that is the same every
time (``PINNED``). Everywhere else examples are new each time, unless ``--hypothesis-seed`` names a
seed. A seed gives the same examples whatever else is tested. ``law_content`` checks what occurs in
the examples. ``mutants`` is for ``make mutants``, which runs the laws a thousand times: few
examples, the same for every mutant, and the first one that fails is enough.
"""

import os
import secrets
from collections.abc import Callable
from typing import Final, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, is_hypothesis_test, seed, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants


Test = TypeVar("Test", bound=Callable[..., None])

PINNED: Final = "2026-11-26"
"""The seed of CI; another text gives all laws other examples."""

# Hypothesis derandomizes in CI unless it is asked not to.
_USUAL = settings(deadline=None, derandomize=False, max_examples=40)
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
    # Hypothesis also draws what stands in the sources of all modules that are loaded so far. So a
    # seed would mean other examples beside other tests, and after each edit of a constant.
    setattr(providers, "_get_local_constants", _no_constants)  # noqa: B010 - it has no setting


def _no_constants() -> Constants:
    return Constants()


def pinned(config: pytest.Config) -> bool:
    """Whether the examples are the same every time: in CI, where no seed is named."""
    return bool(os.environ.get("CI")) and config.getoption("--hypothesis-seed") is None


def own_seed(config: pytest.Config, law: str) -> str:
    """The seed of a law that makes its examples itself."""
    chosen = config.getoption("--hypothesis-seed")
    if chosen is None:
        chosen = PINNED if pinned(config) else secrets.token_hex(4)
    return f"{chosen} {law}"


def pin(item: pytest.Item) -> None:
    """In CI, give a law its own seed: with one for all, many laws would see the same examples."""
    law = getattr(item, "obj", None)
    if law is not None and is_hypothesis_test(law) and pinned(item.config):
        # A state machine is seeded as a class.
        target = getattr(law, "_hypothesis_state_machine_class", law)
        seed(f"{PINNED} {target.__module__}.{target.__name__}")(target)


def one_in(number: int) -> Callable[[Test], Test]:
    """Divide the number of examples, for long histories and trees of thousands, but keep some."""
    default = settings.default or _USUAL
    most = max(3, default.max_examples // number)

    def lighten(test: Test) -> Test:
        return settings(default, max_examples=most)(test)

    return lighten
