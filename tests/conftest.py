"""What tests measured is printed at the end, whichever process ran them."""

from typing import Any

import pytest

import law_report
import session_figures


def pytest_addoption(parser: pytest.Parser) -> None:
    law_report.add_option(parser)


def pytest_sessionfinish(session: pytest.Session) -> None:
    session_figures.hand_over(session)
    law_report.hand_over(session)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A worker has ended (pytest-xdist)."""
    session_figures.take_over(node.config, node)
    law_report.take_over(node.config, node)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    session_figures.show(terminalreporter, config)
    law_report.show(terminalreporter, config)
