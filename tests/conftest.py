"""What tests measured is printed at the end, whichever process ran them."""

from typing import Any

import pytest

import session_figures


def pytest_sessionfinish(session: pytest.Session) -> None:
    session_figures.hand_over(session)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker has ended (pytest-xdist)."""
    session_figures.take_over(node.config, node)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    session_figures.show(terminalreporter, config)
