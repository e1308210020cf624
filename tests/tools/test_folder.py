"""A folder holds one cluster, and other files in it are not touched."""

import os
import subprocess
from pathlib import Path

import pytest

from local_cluster import folder, state


def test_a_folder_is_in_use_as_long_as_its_lock_is_held(tmp_path: Path) -> None:
    place = folder.Folder(tmp_path / "cluster")
    assert not place.held()
    lock = place.take()
    assert place.held()
    with pytest.raises(folder.FolderError) as refused:
        folder.Folder(tmp_path / "cluster").take()
    assert str(refused.value) == f"a cluster runs already in {tmp_path}/cluster"
    os.close(lock)
    assert not place.held()


def test_a_folder_with_other_things_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(folder.FolderError) as refused:
        folder.Folder(tmp_path).take()
    assert str(refused.value) == (
        f"{tmp_path} is not empty and holds no cluster: choose another folder with --dir"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_stale_cluster_is_removed_and_its_processes_are_ended(tmp_path: Path) -> None:
    place = folder.Folder(tmp_path)
    os.close(place.take())
    place.prepare()
    stray = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    running = {"ns/pod/c": state.identify(stray.pid)}
    state.write(place.containers, state.Containers(running=running))
    place.kubeconfig.write_text("secret")
    place.sweep()
    assert stray.wait(timeout=5) == -9
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]
    place.prepare()


def test_a_stopped_cluster_leaves_its_logs(tmp_path: Path) -> None:
    place = folder.Folder(tmp_path)
    os.close(place.take())
    place.prepare()
    place.log("etcd").write_text("bye")
    place.kubeconfig.write_text("secret")
    place.clear_data()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock", "logs"]
