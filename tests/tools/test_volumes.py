"""A volume's files change all at once."""

from pathlib import Path

import pytest

from local_cluster.process_node import refusal, volumes


def test_files_appear_behind_one_link(tmp_path: Path) -> None:
    assert volumes.replace(tmp_path, {"a": b"1", "deep/b": b"2"})
    assert (tmp_path / "a").read_bytes() == b"1"
    assert (tmp_path / "deep" / "b").read_bytes() == b"2"
    assert (tmp_path / "a").resolve().parent == (tmp_path / "..data").resolve()


def test_the_same_files_are_left_alone(tmp_path: Path) -> None:
    volumes.replace(tmp_path, {"a": b"1"})
    before = (tmp_path / "..data").resolve()
    assert not volumes.replace(tmp_path, {"a": b"1"})
    assert (tmp_path / "..data").resolve() == before


def test_changed_files_replace_the_old_ones_and_nothing_is_left_over(tmp_path: Path) -> None:
    volumes.replace(tmp_path, {"a": b"1", "gone": b"x"})
    volumes.replace(tmp_path, {"a": b"2", "new": b"y"})
    assert sorted(path.name for path in tmp_path.iterdir() if path.name[:2] != "..") == ["a", "new"]
    assert (tmp_path / "a").read_bytes() == b"2"
    assert len([path for path in tmp_path.iterdir() if path.name[:2] == ".."]) == 2


def test_an_empty_source_is_an_empty_folder(tmp_path: Path) -> None:
    assert volumes.replace(tmp_path, {})
    assert not volumes.replace(tmp_path, {})


def test_items_choose_keys_and_name_the_files() -> None:
    data = {"ca.crt": b"1", "other": b"2"}
    items = [{"key": "ca.crt", "path": "tls/ca.pem"}]
    assert volumes.choose(data, items, "config") == {"tls/ca.pem": b"1"}
    assert volumes.choose(data, None, "config") == data


def test_a_missing_key_is_refused() -> None:
    items = [{"key": "nope", "path": "x"}]
    with pytest.raises(refusal.RefusalError) as refused:
        volumes.choose({}, items, "config")
    assert str(refused.value) == '"config" has no key "nope"'
