"""A changed configuration file takes effect while the process runs, where keys allow it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from api_double.waiting import until
from elasticquota_config import change as elasticquota_config_change
from elasticquota_config import model, reload
from elasticquota_config.model import Configuration
from elasticquota_config.reload import ConfigurationFile


@pytest.fixture
def mount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Mount":
    monkeypatch.setattr(reload, "INTERVAL", 0.01)
    return Mount(tmp_path)


class Mount:
    """A ConfigMap as the kubelet mounts it: links are replaced, files are never edited."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._version = 0
        self.file = folder / "config.yaml"
        self.file.symlink_to(Path("..data") / "config.yaml")
        self.taken: list[Configuration] = []
        self.good: list[bool] = []
        self.refusals = 0
        self.logs: list[EventDict] = []

    def write(self, text: str | bytes) -> None:
        self._version += 1
        version = self._folder / f"..{self._version}"
        version.mkdir()
        content = text if isinstance(text, bytes) else text.encode()
        (version / "config.yaml").write_bytes(content)
        self.swap(version)

    def swap(self, version: Path) -> None:
        link = self._folder / "..data_tmp"
        link.symlink_to(version.name)
        link.rename(self._folder / "..data")

    def tell(self, good: bool) -> None:
        self.refusals += not good
        if self.good[-1:] != [good]:
            self.good.append(good)

    @contextlib.asynccontextmanager
    async def followed(self, text: str) -> AsyncIterator[None]:
        self.write(text)
        found = ConfigurationFile(self.file, model.parse(text), self.taken.append, self.tell)
        with capture_logs() as self.logs:
            task = asyncio.create_task(found.run())
            await until(lambda: self.good == [True])
            yield
            task.cancel()


async def test_a_live_key_takes_effect(mount: Mount) -> None:
    async with mount.followed("reclaim: {paused: false}"):
        mount.write("reclaim: {paused: true}")
        await until(lambda: mount.taken)
    assert mount.taken == [model.parse("reclaim: {paused: true}")]
    assert mount.logs == [
        {
            "event": "configuration read",
            "taken": ["reclaim.paused"],
            "waiting_for_restart": [],
            "log_level": "info",
        }
    ]


async def test_a_key_that_needs_a_restart_is_reported_and_has_no_effect(mount: Mount) -> None:
    async with mount.followed(""):
        mount.write("controller: {port: 8090}\nlease: {renewSeconds: 9}")
        await until(lambda: mount.logs)
        mount.write("controller: {port: 8090}\nadmission: {headOfLineSeconds: 9}")
        await until(lambda: mount.taken)
        mount.write("admission: {headOfLineSeconds: 9}\nreclaim: {graceSeconds: 1}")
        await until(lambda: mount.taken[1:])
    assert [line["waiting_for_restart"] for line in mount.logs] == [
        ["lease.renewSeconds", "controller.port"],
        ["controller.port"],
        [],
    ]
    assert [line["taken"] for line in mount.logs] == [
        [],
        ["admission.headOfLineSeconds"],
        ["reclaim.graceSeconds"],
    ]


async def test_a_broken_file_changes_nothing_and_is_reported_once(mount: Mount) -> None:
    async with mount.followed("reclaim: {paused: true}"):
        mount.write("reclaim: {pausd: true}\nreclame: 1")
        await until(lambda: mount.good == [True, False])
        # The same faults in another text
        mount.write("reclame: 1\nreclaim: {pausd: true}")
        await until(lambda: mount.refusals == 2)
        mount.write("reclaim: {paused: maybe}")
        await until(lambda: mount.refusals == 3)
        assert mount.taken == []
        mount.write("reclaim: {paused: true, graceSeconds: 7}")
        await until(lambda: mount.taken)
    assert [line.get("faults") for line in mount.logs] == [
        [
            "reclaim.pausd: unknown key, did you mean paused?",
            "reclame: unknown key, did you mean reclaim?",
        ],
        ["reclaim.paused: must be true or false, got 'maybe'"],
        None,
    ]
    assert mount.good == [True, False, True]
    assert mount.taken[0].reclaim.grace_seconds == 7


@pytest.mark.parametrize("gone", [True, False], ids=["gone", "no text"])
async def test_a_file_that_cannot_be_read_is_broken_until_it_comes_back(
    mount: Mount, gone: bool
) -> None:
    async with mount.followed("reclaim: {paused: true}"):
        if gone:
            mount.swap(Path("..nowhere"))
        else:
            mount.write(b"\xff\xfe")
        await until(lambda: mount.good == [True, False])
        mount.write("reclaim: {paused: true}")
        await until(lambda: mount.good == [True, False, True])
    assert mount.taken == []
    assert [line["log_level"] for line in mount.logs] == ["error", "info"]


def test_live_keys_change_and_all_others_stay() -> None:
    before = model.parse("reclaim: {graceSeconds: 1}\nlogging: {level: error}")
    after = model.parse("rules: {profile: strict}\nwebhook: {port: 1}")
    change = elasticquota_config_change.between(before, after)
    assert change.now == model.parse("rules: {profile: strict}\nlogging: {level: error}")
    assert change.taken == ("rules.profile", "reclaim.graceSeconds")
    assert change.waiting == ("webhook.port", "logging.level")


def test_the_same_configuration_is_no_change() -> None:
    same = elasticquota_config_change.between(Configuration(), Configuration())
    assert same == elasticquota_config_change.ConfigurationChange(Configuration(), (), ())
