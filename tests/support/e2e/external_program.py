"""A program of an external system on the local cluster, with the rights of its ServiceAccount."""

import base64
import shutil
import ssl
import subprocess
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import programs
import users
from local_cluster import certificates
from users import User
from waiting import eventually


_LINES_OF_A_LOG = 40


def as_account(admin: User, namespace: str, name: str, folder: Path) -> Path:
    """A kubeconfig with a token of this ServiceAccount and nothing else."""
    user = users.account(admin, namespace, name)
    user.close()
    return users.kubeconfig(user, folder, namespace=namespace)


def serving(folder: Path) -> Path:
    """Write a certificate for 127.0.0.1 as ``tls.crt`` and ``tls.key``; returns its authority."""
    authority = certificates.Authority(folder, name="external-systems")
    certificate, key = authority.server("webhook", ["127.0.0.1"])
    shutil.copy(certificate, folder / "tls.crt")
    shutil.copy(key, folder / "tls.key")
    return authority.certificate


def mount(admin: User, namespace: str, secret: str, folder: Path) -> None:
    """Write the values of a Secret as files, as a kubelet does; nothing while it has none."""
    found = admin.find("Secret", secret, namespace) or {}
    for name, value in (found.get("data") or {}).items():
        (folder / name).write_bytes(base64.b64decode(value))


@contextmanager
def running(
    command: Sequence[str],
    log: Path,
    ready: str,
    environment: Mapping[str, str] | None = None,
    meanwhile: Callable[[], object] = lambda: None,
) -> Iterator[None]:
    """The program runs inside the block, and ``ready`` is an address that it answers by 200.

    ``meanwhile`` is called again and again until it does. When it does not, the error has the end
    of its log.
    """

    def answers() -> bool:
        meanwhile()
        return _answers(process, ready)

    with programs.running(command, log, environment) as process:
        try:
            eventually(answers, True, within=90)
        except AssertionError:
            lines = log.read_text(errors="replace").splitlines()[-_LINES_OF_A_LOG:]
            raise AssertionError("\n".join([f"{command[0]} is not ready:", *lines])) from None
        yield


def _answers(process: "subprocess.Popen[bytes]", address: str) -> bool:
    assert process.poll() is None, f"it ended with {process.returncode}"
    anonymous = ssl.create_default_context()
    anonymous.check_hostname, anonymous.verify_mode = False, ssl.CERT_NONE
    with urllib.request.urlopen(address, timeout=5, context=anonymous) as answer:
        return bool(answer.status == 200)
