"""The moving picture of a session shows what the page of the session says."""

import pytest

import recording


def test_the_picture_is_that_of_the_page() -> None:
    stored = (recording.FOLDER / "session.svg").read_text(encoding="utf-8")
    assert stored == recording.drawn(), "run: make pictures"


def test_every_block_that_is_shown_has_what_was_printed() -> None:
    found = recording.blocks()
    assert len(found) == len(recording.SHOWN)
    assert all(len(block.splitlines()) > 1 for block in found)


def test_a_block_that_the_page_lost_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "SHOWN", ("kubectl get nothing\n",))
    with pytest.raises(ValueError, match="kubectl get nothing"):
        recording.blocks()
