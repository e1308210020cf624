"""Finds the credentials for the API server: its address, its CA, and our token or certificate.

Searched as kubectl does: the files named by ``KUBECONFIG``, ``~/.kube/config``, the files of the
pod's service account. Credential plugins run only for a login that allows it: they are programs
that a file names, which a controller must not start.
"""

import base64
import binascii
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from elasticquota.structs import Struct, field
from elasticquota_kube.client.credentials import kubeconfig, proxy
from elasticquota_kube.client.credentials.kubeconfig import (
    Kubeconfig,
    KubeconfigCluster,
    KubeconfigEntry,
    KubeconfigUser,
)
from elasticquota_kube.client.credentials.login import CredentialsError, Login
from elasticquota_kube.client.credentials.trust import Trust


SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
TOKEN_AGE = 60.0
"""Seconds after which a token file is read again; the kubelet renews tokens in place."""
_NOTHING_SAID = Login()


class Bearer(Protocol):
    """Gives the token of each request."""

    def current(self) -> str | None:
        """The token to send now, or None if another way of login is used."""

    def forget(self) -> bool:
        """Get a new token at the next use; returns whether that can change anything."""


class Token(Struct):
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


class Credentials(Struct, frozen=True):
    """Everything a client needs; `tls` is None for plain HTTP, `namespace` is the default one.

    `proxy` is the URL of the proxy to the server, or None.
    """

    server: str
    tls: Trust | None = None
    token: Bearer = field(default_factory=Token)
    namespace: str = "default"
    proxy: str | None = None
    server_name: str | None = None
    """The name in the server's certificate, if it is not that of its address."""
    headers: tuple[tuple[str, str], ...] = ()
    """Sent with each request: impersonation and basic authentication."""

    def renew(self) -> bool:
        """Get new credentials at the next use; returns whether that can change anything."""
        changed = self.token.forget()
        if changed and self.tls is not None:
            self.tls.forget()
        return changed


def load(login: Login = _NOTHING_SAID) -> Credentials:
    """Find credentials (see the top of this file), or those that the login names.

    Raises `CredentialsError` with one sentence when there are no usable ones.
    """
    try:
        paths = files(login)
        if paths:
            return _chosen(kubeconfig.read(paths), login)
        if SERVICE_ACCOUNT.joinpath("token").is_file():
            return _in_cluster(login)
    except ValueError as error:
        raise CredentialsError(f"the credentials cannot be used: {error}") from error
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        raise CredentialsError(
            f"the credentials cannot be used: {named}{error.strerror or error}"
        ) from error
    raise CredentialsError(
        "no credentials for a Kubernetes API server: KUBECONFIG is not set, ~/.kube/config is not "
        f"there, and this is not a pod with a service account ({SERVICE_ACCOUNT} has no token); "
        "set KUBECONFIG to a kubeconfig file"
    )


def files(login: Login) -> list[Path]:
    """The kubeconfig files to read, the most important first; raises `CredentialsError`."""
    if login.kubeconfig is not None:
        return [login.kubeconfig.expanduser()]
    named = [each for each in os.environ.get("KUBECONFIG", "").split(os.pathsep) if each]
    if not named:
        home = Path("~/.kube/config").expanduser()
        return [home] if home.is_file() else []
    found = [path for path in dict.fromkeys(map(Path, named)) if path.exists()]
    if not found:
        raise CredentialsError(f"KUBECONFIG names no file that exists: {os.pathsep.join(named)}")
    return found


def _in_cluster(login: Login) -> Credentials:
    try:
        host = os.environ["KUBERNETES_SERVICE_HOST"]
        port = os.environ["KUBERNETES_SERVICE_PORT"]
    except KeyError as missing:
        raise CredentialsError(
            f"there is a service account in {SERVICE_ACCOUNT}, but {missing.args[0]} is not set"
        ) from None
    server = f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
    own = (SERVICE_ACCOUNT / "namespace").read_text(encoding="ascii").strip()
    return Credentials(
        server=server,
        tls=Trust((SERVICE_ACCOUNT / "ca.crt").read_bytes),
        token=Token(path=SERVICE_ACCOUNT / "token"),
        namespace=login.namespace or own,
        proxy=proxy.of(server, os.environ),
        headers=_headers(KubeconfigUser(), login),
    )


def _chosen(config: Kubeconfig, login: Login) -> Credentials:
    context = kubeconfig.Context()
    if not (login.cluster and login.user):
        context = config.context(login.context)
    cluster = config.cluster(login.cluster or context.cluster)
    user = config.user(login.user or context.user)
    server = cluster.value.server.rstrip("/")
    token, pair = _secret(user, cluster, login)
    return Credentials(
        server=server,
        tls=_trust(cluster, pair) if server.startswith("https:") else None,
        token=token,
        namespace=login.namespace or context.namespace or "default",
        proxy=proxy.of(server, os.environ, cluster.value.proxy_url),
        server_name=cluster.value.tls_server_name or None,
        headers=_headers(user.value, login),
    )


def _secret(
    user: KubeconfigEntry[KubeconfigUser], cluster: KubeconfigEntry[KubeconfigCluster], login: Login
) -> tuple[Bearer, Callable[[], bytes | None]]:
    """The token and the client certificate of a user; reads or runs nothing yet."""
    said = user.value
    if said.auth_provider is not None:
        raise CredentialsError(
            "the user logs in by an auth-provider, which Kubernetes removed in 1.26; use a "
            "credential plugin (exec)"
        )
    if said.exec is not None and not (said.token or said.token_file):
        if not login.plugins:
            raise CredentialsError(
                f"the user logs in by a credential plugin ({said.exec.command}), which only the "
                "commands of users start; use a token, a tokenFile or a client certificate"
            )
        from elasticquota_kube.client.credentials.credential_plugin import Plugin  # noqa: PLC0415 - most users have none

        plugin = Plugin(KubeconfigEntry(said.exec, user.folder), cluster)
        return plugin, plugin.pair

    def pair() -> bytes | None:
        signed = _content(user, said.client_certificate_data, said.client_certificate)
        key = _content(user, said.client_key_data, said.client_key)
        if (signed is None) != (key is None):
            raise CredentialsError("the user has only one of client-certificate and client-key")
        return None if signed is None or key is None else signed + b"\n" + key

    # The file wins over the value, as in client-go: the value may be the file's first content.
    if said.token_file:
        return Token(path=user.path(said.token_file)), pair
    return Token(value=said.token or None), pair


def _content(
    entry: KubeconfigEntry[KubeconfigUser] | KubeconfigEntry[KubeconfigCluster],
    data: str,
    file: str,
) -> bytes | None:
    """What an entry has as base64, else in a file; None if it has neither."""
    if data:
        try:
            return base64.b64decode(data, validate=False)
        except binascii.Error as error:
            raise CredentialsError(f"a certificate or key in it is not base64: {error}") from None
    return entry.path(file).read_bytes() if file else None


def _trust(cluster: KubeconfigEntry[KubeconfigCluster], pair: Callable[[], bytes | None]) -> Trust:
    said = cluster.value

    def authorities() -> bytes | None:
        return _content(cluster, said.certificate_authority_data, said.certificate_authority)

    return Trust(authorities, pair, verify=not said.insecure_skip_tls_verify)


def _headers(user: KubeconfigUser, login: Login) -> tuple[tuple[str, str], ...]:
    """The headers of impersonation and of basic authentication."""
    headers: list[tuple[str, str]] = []
    if user.username and not (user.token or user.token_file):
        basic = base64.b64encode(f"{user.username}:{user.password}".encode()).decode()
        headers.append(("Authorization", f"Basic {basic}"))
    if login.impersonate or login.groups:
        user = KubeconfigUser(impersonate=login.impersonate, as_groups=list(login.groups))
    if not user.impersonate:
        if user.as_groups or user.as_uid or user.as_user_extra:
            raise CredentialsError("it takes a user to act as (--as) besides groups or a uid")
        return tuple(headers)
    headers.append(("Impersonate-User", user.impersonate))
    headers += [("Impersonate-Group", group) for group in user.as_groups]
    if user.as_uid:
        headers.append(("Impersonate-Uid", user.as_uid))
    for key, values in user.as_user_extra.items():
        headers += [(f"Impersonate-Extra-{quote(key, safe='')}", value) for value in values]
    return tuple(headers)
