"""The page of a tenant's session says what the cluster says today."""

from pathlib import Path

import pytest

from tenant_session import comparable, session


pytestmark = [pytest.mark.cluster, pytest.mark.long]


def test_the_page_has_what_a_tenant_sees_today(tmp_path: Path) -> None:
    now = session.recorded(tmp_path / "cluster", say=print)
    page = session.PAGE.read_text(encoding="utf-8")
    assert not comparable.difference(page, now), "run: make session"
