"""A tenant: somebody whose only credential is the token of a ServiceAccount."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from demo.client import Client


@contextmanager
def kubeconfig(admin: Client, account: str, namespace: str) -> Iterator[Path]:
    """A kubeconfig file with a fresh token of the ServiceAccount and nothing else.

    The admin's client certificate must not be in it: the API server would believe that first.
    """
    view = admin.must("config", "view", "--minify", "--raw", "--flatten", "-o", "json")
    config = json.loads(view)
    token = admin.must("create", "token", account, "-n", namespace).strip()
    config["users"] = [{"name": account, "user": {"token": token}}]
    config["contexts"][0]["context"]["user"] = account
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / f"{account}.kubeconfig"
        place.touch(mode=0o600)
        place.write_text(json.dumps(config))
        yield place
