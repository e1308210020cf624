"""Whether a law fails once what it is about is taken away."""

from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, settings


_UNTIL_ONE_FAILS: Final = settings(
    max_examples=100,
    phases=(Phase.generate,),
    database=None,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


def notices(law: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether an assertion of a law, a function with ``@given``, fails in one of 100 examples.

    They are the same every time. None is shrunk or kept.
    """
    run: Any = law
    monkeypatch.setattr(run, "_hypothesis_internal_use_settings", _UNTIL_ONE_FAILS, raising=False)
    monkeypatch.setattr(run, "_hypothesis_internal_use_seed", 2, raising=False)
    try:
        run()
    except AssertionError:
        return True
    return False
