"""The identities of a cluster, and the access to their keys."""

import ssl
import stat
from pathlib import Path

import yaml

from local_cluster import certificates, components, folder, kubeconfig


def test_identities_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    place = folder.Folder(tmp_path / "cluster")
    place.take()
    place.prepare()
    components.identities(place, components.Endpoints(1, 2, 3), "127.20.30")
    secrets = [*place.pki.glob("*.key"), *place.pki.glob("*.kubeconfig"), place.kubeconfig]
    assert len(secrets) > 10
    assert {stat.S_IMODE(path.stat().st_mode) for path in secrets} == {0o600}
    assert yaml.safe_load(place.kubeconfig.read_text())["clusters"][0]["cluster"]["server"] == (
        "https://127.0.0.1:3"
    )


def test_a_client_is_trusted_by_a_server_of_the_same_authority(tmp_path: Path) -> None:
    authority = certificates.Authority(tmp_path)
    served = authority.server("server", ["localhost", "127.0.0.1"])
    shown = authority.client("client", "ann", ["system:masters"])
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(tmp_path / "ca.crt"))
    server.verify_mode = ssl.CERT_REQUIRED
    server.load_cert_chain(*served)
    client = ssl.create_default_context(cafile=str(tmp_path / "ca.crt"))
    client.load_cert_chain(*shown)
    subject = handshake(server, client, "127.0.0.1")
    assert ("organizationName", "system:masters") in subject
    assert ("commonName", "ann") in subject


def handshake(server: ssl.SSLContext, client: ssl.SSLContext, host: str) -> set[tuple[str, str]]:
    """Shake hands in memory; returns the subject of the client's certificate."""
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = client.wrap_bio(down, up, server_hostname=host)
    theirs = server.wrap_bio(up, down, server_side=True)
    for _ in range(4):
        for side in (ours, theirs):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    shown = theirs.getpeercert()
    assert shown is not None
    return {pair for group in shown["subject"] for pair in group}  # type: ignore[misc]


def test_a_pods_kubeconfig_reads_its_token_from_the_file(tmp_path: Path) -> None:
    path = kubeconfig.for_token_file(
        tmp_path / "kubeconfig",
        api="https://127.0.0.1:1",
        authority=tmp_path / "ca.crt",
        token=tmp_path / "token",
        namespace="shop",
    )
    document = yaml.safe_load(path.read_text())
    assert document["users"][0]["user"] == {"tokenFile": str(tmp_path / "token")}
    assert document["contexts"][0]["context"]["namespace"] == "shop"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
