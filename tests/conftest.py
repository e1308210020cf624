"""What tests measured is printed at the end, whichever process ran them."""

from typing import Any

import pytest

import session_figures


def pytest_sessionfinish(session: pytest.Session) -> None:
    session_figures.hand_over(session)


class _Workers:
    """Hears of workers that end (pytest-xdist)."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_testnodedown(self, node: Any) -> None:
        session_figures.take_over(self._config, node)


def pytest_configure(config: pytest.Config) -> None:
    if config.pluginmanager.hasplugin("dsession"):
        config.pluginmanager.register(_Workers(config))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    session_figures.show(terminalreporter, config)
