"""A verb starts fast, because it loads only what it needs; no test here measures a time."""

import subprocess
import sys

import pytest


ENGINE = "elasticquota.decisions.decide"
SLOW = ("aiohttp", "structlog", "pydantic", "yarl", "kopf", "cryptography")
"""Libraries that take longer to load than a command may take to start."""
LIGHT = {
    "elasticquota_cli.commands.tree": (*SLOW, ENGINE),
    "elasticquota_cli.edit.command": (*SLOW, ENGINE),
    "elasticquota_cli.commands.release": (*SLOW, ENGINE),
    "elasticquota_cli.overview.command": (*SLOW, ENGINE, "elasticquota.model.decision"),
    "elasticquota_cli.why.command": (*SLOW, ENGINE, "elasticquota.model.decision"),
    "elasticquota_cli.simulate.command": ("aiohttp", "structlog", "asyncio"),
    "elasticquota_cli.plan.command": ("aiohttp", "structlog"),
    "elasticquota_cli.doctor.command": ("aiohttp", "structlog"),
}


def loaded(program: str) -> set[str]:
    """The modules that are loaded when the program has run."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{program}\nprint(*sys.modules)"],
        check=True,
        capture_output=True,
        text=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(("module", "unwanted"), LIGHT.items(), ids=str)
def test_a_verb_does_not_load(module: str, unwanted: tuple[str, ...]) -> None:
    assert loaded(f"import {module}").isdisjoint(unwanted)


def test_the_first_request_of_a_command_loads_no_slow_library() -> None:
    program = """
import asyncio
from elasticquota_kube.client import paths
from elasticquota_kube.client.rest import errors
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.credentials import Credentials
async def ask():
    async with Api(Credentials("http://127.0.0.1:1"), brief=True) as api:
        try:
            await api.get(paths.NODES, None, "n-1")
        except errors.ApiError as error:
            assert error.is_unreachable
        else:
            raise AssertionError
asyncio.run(ask())
"""
    assert loaded(program).isdisjoint(SLOW)
