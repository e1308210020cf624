"""Runs a credential plugin (``exec`` in a kubeconfig), as client-go does.

API ``client.authentication.k8s.io/v1`` and ``/v1beta1``. The program gets ``KUBERNETES_EXEC_INFO``
and prints an ``ExecCredential``; its standard error goes to ours. The answer is kept until it
expires or the API server refuses it.
"""

import base64
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

import msgspec

from elasticquota_kube.client.credentials.kubeconfig import Exec, KubeconfigCluster, KubeconfigEntry
from elasticquota_kube.client.credentials.login import CredentialsError


GROUP: Final = "client.authentication.k8s.io"
VERSIONS: Final = (f"{GROUP}/v1", f"{GROUP}/v1beta1")
SECONDS: Final = 60.0
"""Time for a plugin that cannot ask anything, because standard input is no terminal."""
_EXTENSION: Final = GROUP + "/exec"
"""The name of the cluster's extension whose content a plugin gets as ``config``."""


class _ExecCredentialStatus(msgspec.Struct, rename="camel", gc=False):
    token: str | None = None
    client_certificate_data: str | None = None
    client_key_data: str | None = None
    expiration_timestamp: datetime | None = None


class _ExecCredential(msgspec.Struct, rename="camel", gc=False):
    kind: str = ""
    api_version: str = ""
    status: _ExecCredentialStatus | None = None


class Plugin:
    """The credentials that one plugin prints; the first use runs it. Raises `CredentialsError`."""

    def __init__(
        self,
        entry: KubeconfigEntry[Exec],
        cluster: KubeconfigEntry[KubeconfigCluster],
        environment: Mapping[str, str] = os.environ,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._exec = entry.value
        self._folder = entry.folder
        self._cluster = cluster
        self._environment = environment
        self._clock = clock
        self._status: _ExecCredentialStatus | None = None
        if self._exec.api_version not in VERSIONS:
            raise CredentialsError(
                f"the credential plugin '{self._exec.command}' uses apiVersion "
                f"'{self._exec.api_version}'; it must be one of: {', '.join(VERSIONS)}"
            )
        mode = self._exec.interactive_mode or ("" if self._is_v1 else "IfAvailable")
        if mode not in ("Never", "IfAvailable", "Always"):
            raise CredentialsError(
                f"the credential plugin '{self._exec.command}' has interactiveMode '{mode}'; it "
                "must be Never, IfAvailable or Always"
            )
        self._mode = mode

    def current(self) -> str | None:
        """The token to send now, or None if there is only a client certificate."""
        return self._valid().token or None

    def pair(self) -> bytes | None:
        """The client certificate and its key in PEM, or None if there is only a token."""
        status = self._valid()
        if not status.client_certificate_data:
            return None
        return f"{status.client_certificate_data}\n{status.client_key_data}".encode()

    def forget(self) -> bool:
        """Run the plugin again at the next use; returns that this can change something."""
        self._status = None
        return True

    @property
    def _is_v1(self) -> bool:
        return self._exec.api_version == VERSIONS[0]

    def _valid(self) -> _ExecCredentialStatus:
        if self._status is None or self._expired(self._status):
            self._status = self._asked()
        return self._status

    def _expired(self, status: _ExecCredentialStatus) -> bool:
        end = status.expiration_timestamp
        return end is not None and end.timestamp() <= self._clock()

    def _asked(self) -> _ExecCredentialStatus:
        is_terminal = sys.stdin is not None and sys.stdin.isatty()
        if self._mode == "Always" and not is_terminal:
            raise self._error("needs a terminal to ask for something, and standard input is none")
        interactive = is_terminal and self._mode != "Never"
        code, printed = self._run(interactive)
        if code:
            raise self._error(f"failed with exit code {code}")
        try:
            answer = msgspec.json.decode(printed, type=_ExecCredential)
        except msgspec.MsgspecError as error:
            raise self._error(f"printed no ExecCredential: {error}") from None
        return self._checked(answer)

    def _checked(self, answer: _ExecCredential) -> _ExecCredentialStatus:
        wanted = self._exec.api_version
        if answer.kind != "ExecCredential" or answer.api_version != wanted:
            said = f"{answer.kind or 'no kind'} {answer.api_version or 'without apiVersion'}"
            raise self._error(f"printed {said} instead of ExecCredential {wanted}")
        status = answer.status
        if status is None or not (status.token or status.client_certificate_data):
            raise self._error("printed neither a token nor a client certificate")
        if bool(status.client_certificate_data) != bool(status.client_key_data):
            raise self._error("printed only one of clientCertificateData and clientKeyData")
        return status

    def _run(self, interactive: bool) -> tuple[int, bytes]:
        """Run the program; returns its exit code and what it printed."""
        added = {each.name: each.value for each in self._exec.env}
        info = msgspec.json.encode(self._info(interactive)).decode()
        environment = {**self._environment, **added, "KUBERNETES_EXEC_INFO": info}
        sys.stderr.flush()
        try:
            process = subprocess.Popen(  # noqa: S603 - the user's kubeconfig names the program
                [self._program(), *self._exec.args],
                env=environment,
                stdin=None if interactive else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
            )
        except OSError as error:
            hint = (
                f": {' '.join(self._exec.install_hint.split())}" if self._exec.install_hint else ""
            )
            raise self._error(f"cannot be started ({error.strerror}){hint}") from None
        try:
            printed, _ = process.communicate(timeout=None if interactive else SECONDS)
        except subprocess.TimeoutExpired:
            raise self._error(f"has printed nothing for {SECONDS:.0f} seconds") from None
        finally:
            if process.returncode is None:
                # Not communicate(): a child of the program may keep the pipe open.
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()
        return process.returncode, printed

    def _program(self) -> str:
        """A path is relative to the kubeconfig; a bare name is searched for in ``PATH``."""
        command = self._exec.command
        return str(self._folder / command) if os.sep in command else command

    def _info(self, interactive: bool) -> dict[str, Any]:
        spec: dict[str, Any] = {"interactive": interactive}
        if self._exec.provide_cluster_info:
            spec["cluster"] = self._cluster_info()
        return {"kind": "ExecCredential", "apiVersion": self._exec.api_version, "spec": spec}

    def _cluster_info(self) -> dict[str, Any]:
        cluster = self._cluster.value
        config = [each.extension for each in cluster.extensions if each.name == _EXTENSION]
        info = {
            "server": cluster.server,
            "tls-server-name": cluster.tls_server_name,
            "insecure-skip-tls-verify": cluster.insecure_skip_tls_verify,
            "certificate-authority-data": self._authority(),
            "proxy-url": cluster.proxy_url,
            "config": config[0] if config else None,
        }
        return {key: value for key, value in info.items() if value}

    def _authority(self) -> str:
        cluster = self._cluster.value
        if cluster.certificate_authority_data or not cluster.certificate_authority:
            return cluster.certificate_authority_data
        content = self._cluster.path(cluster.certificate_authority).read_bytes()
        return base64.b64encode(content).decode()

    def _error(self, what: str) -> CredentialsError:
        return CredentialsError(f"the credential plugin '{self._exec.command}' {what}")
