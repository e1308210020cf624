"""Finds the credentials for the API server: its address, its CA, and our token or certificate.

Searched in this order: the file named by ``KUBECONFIG``, the files of the pod's service account,
``~/.kube/config``. Credential plugins (``exec``, ``auth-provider``) are refused with a message:
they start programs, which a controller must not do.
"""

import os
import ssl
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pykube import config as kubeconfig
from pykube.exceptions import PyKubeError

from elasticquota_kube.client import proxy
from elasticquota_kube.client.login import Login
from elasticquota_kube.client.trust import Trust


SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
TOKEN_AGE = 60.0
"""Seconds after which a token file is read again; the kubelet renews tokens in place."""


_NOTHING_SAID = Login()


class CredentialsError(Exception):
    """No usable credentials; the text says what was searched and what to do."""


@dataclass(slots=True)
class Token:
    """A bearer token, fixed or in a file that its owner renews.

    A renewed file is noticed after at most `TOKEN_AGE` seconds, or at once after `forget()`.
    While the file cannot be read the last token stays in use; the API server decides on it.
    """

    path: Path | None = None
    value: str | None = None
    clock: Callable[[], float] = time.monotonic
    _read_at: float | None = None

    def current(self) -> str | None:
        """Return the token to send now, or None if a client certificate is used instead."""
        if self.path is not None and (
            self._read_at is None or self.clock() - self._read_at >= TOKEN_AGE
        ):
            try:
                self.value = self.path.read_text(encoding="ascii").strip()
            except (OSError, UnicodeDecodeError) as error:
                if self.value is None:
                    raise CredentialsError(f"cannot read the token file: {error}") from error
            self._read_at = self.clock()
        return self.value

    def forget(self) -> bool:
        """Read the file again at the next use; returns whether that can change anything."""
        self._read_at = None
        return self.path is not None


@dataclass(frozen=True, slots=True)
class Credentials:
    """Everything a client needs; `tls` is None for plain HTTP, `namespace` is the default one.

    `proxy` is the URL of the proxy to the server, or None.
    """

    server: str
    tls: Trust | None = None
    token: Token = field(default_factory=Token)
    namespace: str = "default"
    proxy: str | None = None


def load(login: Login = _NOTHING_SAID) -> Credentials:
    """Find credentials (see the top of this file), or read those that ``login`` names.

    Raises `CredentialsError` with one sentence when there are no usable ones.
    """
    named = login.kubeconfig or _from_environment()
    try:
        if named is not None:
            return _kubeconfig(named, login)
        if not login.context and SERVICE_ACCOUNT.joinpath("token").is_file():
            return _in_cluster()
        home = Path("~/.kube/config").expanduser()
        if home.is_file():
            return _kubeconfig(home, login)
    except (PyKubeError, OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise CredentialsError(
            f"the credentials in {named or 'the default place'} cannot be used: "
            f"{type(error).__name__}: {error}"
        ) from error
    raise CredentialsError(
        "no credentials for a Kubernetes API server: KUBECONFIG is not set, this is not a pod "
        f"with a service account ({SERVICE_ACCOUNT} has no token), and ~/.kube/config is not "
        "there; set KUBECONFIG to a kubeconfig file"
    )


def _from_environment() -> Path | None:
    text = os.environ.get("KUBECONFIG", "")
    if os.pathsep in text:
        raise CredentialsError(
            f"KUBECONFIG names several files ({text}); merge them first: "
            "kubectl config view --flatten > one.kubeconfig"
        )
    return Path(text) if text else None


def _in_cluster() -> Credentials:
    config = kubeconfig.KubeConfig.from_service_account(str(SERVICE_ACCOUNT))
    server = config.cluster["server"]
    return Credentials(
        server=server,
        tls=_trust(config.cluster, {}),
        token=Token(path=SERVICE_ACCOUNT / "token"),
        namespace=config.namespace,
        proxy=proxy.of(server, os.environ),
    )


def _kubeconfig(path: Path, login: Login) -> Credentials:
    try:
        config = kubeconfig.KubeConfig.from_file(str(path))
    except yaml.YAMLError as error:
        raise CredentialsError(f"{path} is not YAML: {' '.join(str(error).split())}") from error
    if login.context:
        config.set_current_context(login.context)
    user = config.user
    for plugin in ("exec", "auth-provider"):
        if plugin in user:
            raise CredentialsError(
                f"the user in {path} logs in by a credential plugin ({plugin}), which is not "
                "supported; use a token, a tokenFile or a client certificate"
            )
    server = str(config.cluster["server"]).rstrip("/")
    return Credentials(
        server=server,
        tls=_trust(config.cluster, user) if server.startswith("https:") else None,
        token=_token(path, user),
        namespace=login.namespace or config.namespace,
        proxy=proxy.of(server, os.environ, config.cluster.get("proxy-url")),
    )


def _token(path: Path, user: dict[str, Any]) -> Token:
    # The file wins over the value, as in client-go: the value may be the file's first content.
    if "tokenFile" in user:
        return Token(path=path.parent / user["tokenFile"])
    return Token(value=user.get("token"))


def _trust(cluster: dict[str, Any], user: dict[str, Any]) -> Trust:
    authority = cluster.get("certificate-authority")

    def dress(context: ssl.SSLContext) -> None:
        if cluster.get("insecure-skip-tls-verify"):
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if "client-certificate" in user:
            # OpenSSL loads key pairs from files only; a private folder keeps the key from others.
            with tempfile.TemporaryDirectory() as folder:
                pair = Path(folder, "client.pem")
                pair.write_bytes(
                    user["client-certificate"].bytes() + b"\n" + user["client-key"].bytes()
                )
                context.load_cert_chain(pair)

    return Trust(authority.bytes if authority is not None else lambda: None, dress)
