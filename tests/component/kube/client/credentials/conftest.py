"""No credentials but those of the test."""

from pathlib import Path

import pytest

from elasticquota_kube.client.credentials import credentials


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Begin each test without credentials."""
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(credentials, "SERVICE_ACCOUNT", tmp_path / "serviceaccount")
