"""A tenant, whose only credential is the token of a ServiceAccount."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from demo.client import Client


@contextmanager
def kubeconfig(admin: Client, account: str, namespace: str) -> Iterator[Path]:
    """Yield a kubeconfig file with a new token of the ServiceAccount as its only credential.

    It must not contain the admin's client certificate, which the API server would prefer.
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
