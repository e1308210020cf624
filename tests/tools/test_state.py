"""The state file identifies each process, so that no process is mistaken for another."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from local_cluster import state


def test_a_state_is_read_back_unchanged(tmp_path: Path) -> None:
    myself = state.identify(os.getpid())
    written = state.State(
        supervisor=myself,
        api="https://127.0.0.1:1",
        service_port=2,
        binaries={"kubectl": "/bin/kubectl"},
        components={"etcd": state.Component(process=myself, restarts=1)},
    )
    state.write(tmp_path / "state.json", written)
    assert state.read(tmp_path / "state.json") == written
    assert [path.name for path in tmp_path.iterdir()] == ["state.json"]


@pytest.mark.parametrize("content", ["", "{}", '{"api": 1}', "no json", "\x00"])
def test_a_file_with_other_content_is_no_state(tmp_path: Path, content: str) -> None:
    path = tmp_path / "state.json"
    assert state.read(path) is None
    path.write_text(content)
    assert state.read(path) is None
    assert state.read_containers(path).running == {}
    assert list(state.recorded_processes(path)) == []


def test_a_reused_process_id_is_another_process() -> None:
    stranger = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    real = state.identify(stranger.pid)
    former = state.Process(pid=real.pid, started=real.started - 1)
    assert not former.alive()
    former.kill()
    former.send(signal.SIGTERM)
    assert real.alive()
    real.kill()
    assert stranger.wait(timeout=5) == -9
    assert not real.alive()


def test_a_zombie_does_not_run() -> None:
    ended = subprocess.Popen(["true"], start_new_session=True)
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    with pytest.raises(ProcessLookupError):
        state.identify(ended.pid)
    ended.wait()


def test_processes_left_in_the_group_of_a_dead_leader_are_ended() -> None:
    leader = subprocess.Popen(
        ["sh", "-c", "sleep 1000 >&- & echo $!; read go"],
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    recorded = state.identify(leader.pid)
    left = int(leader.communicate("go\n", timeout=5)[0])
    assert not recorded.alive()
    stays = state.identify(left)
    assert stays.alive()
    recorded.kill()
    for _ in range(500):
        if not stays.alive():
            return
        time.sleep(0.01)
    raise AssertionError("it still runs after 5 s")
