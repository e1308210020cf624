"""Paths below a mount path lead to the volume's folder."""

from pathlib import Path

import pytest

from local_cluster.process_node import mounts


MOUNTED = mounts.Mounts(
    {"/etc/app": Path("/pods/1/config"), "/etc/app/tls": Path("/pods/1/tls"), "/tmp": Path("/t")}
)


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("/etc/app", "/pods/1/config"),
        ("/etc/app/config.yaml", "/pods/1/config/config.yaml"),
        ("--config=/etc/app/config.yaml", "--config=/pods/1/config/config.yaml"),
        # The deepest mount wins.
        ("/etc/app/tls/tls.key", "/pods/1/tls/tls.key"),
        # A name with the same beginning is another path.
        ("/etc/application", "/etc/application"),
        # Only a text that begins with the path is rewritten.
        ("cat /etc/app/config.yaml", "cat /etc/app/config.yaml"),
        ("name=/etc/app", "name=/etc/app"),
        ("--config", "--config"),
    ],
)
def test_a_path_below_a_mount_is_rewritten(text: str, rewritten: str) -> None:
    assert MOUNTED.rewrite(text) == rewritten


def test_a_mount_path_leads_to_its_folder() -> None:
    assert MOUNTED.place("/tmp/") == Path("/t")
    assert MOUNTED.place("/var") is None
