"""Three ways to a certificate: each renders what it needs and nothing of the others."""

import base64
import json
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from elasticquota_config import model
from elasticquota_webhooks.certificates import modes, serving_certificate
from elasticquota_webhooks.server import webhook_paths


Document = dict[str, Any]
Objects = dict[tuple[str, str], Document]
Render = Callable[..., Objects]
Refusal = Callable[..., str]

NAME, NAMESPACE = "elastic-quota-webhook", "elastic-quota-system"
PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"

SELF: tuple[str, ...] = ()
CERT_MANAGER = ('webhook.certificates.mode="certManager"',)
ISSUER = (
    *CERT_MANAGER,
    'webhook.certificates.issuerRef={"name": "corporate", "kind": "ClusterIssuer"}',
)
SECRET = ('webhook.certificates.mode="secret"', 'webhook.certificates.secretName="mine"')
BUNDLE = (*SECRET, f"webhook.certificates.caBundle={json.dumps(PEM)}")

TOKEN = f'webhook.pathToken="{"t" * 32}"'

every_way = pytest.mark.parametrize(
    "values",
    [SELF, CERT_MANAGER, ISSUER, SECRET, BUNDLE],
    ids=["self", "cm", "issuer", "secret", "bundle"],
)


def _configurations(objects: Objects) -> list[Document]:
    kinds = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
    return [objects[kind, NAME] for kind in kinds]


def _bundles(objects: Objects) -> set[str | None]:
    return {
        webhook["clientConfig"].get("caBundle")
        for found in _configurations(objects)
        for webhook in found["webhooks"]
    }


def _annotations(objects: Objects) -> list[Document | None]:
    return [found["metadata"].get("annotations") for found in _configurations(objects)]


def _mounted(objects: Objects) -> str | None:
    """The Secret is mounted where the container reads it."""
    pod = objects["Deployment", NAME]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    told = {item["name"]: item.get("value") for item in container["env"]}
    places = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    folder = told.get(modes.FOLDER_VARIABLE)
    if folder is None:
        assert volumes.keys() == {"config"}
        return None
    name: str = volumes[places[folder]]["secret"]["secretName"]
    return name


def _settings(objects: Objects) -> tuple[str, bool]:
    text = objects["ConfigMap", "elastic-quota-config"]["data"]["config.yaml"]
    read = model.parse(text).webhook.certificates
    return read.mode, read.publish_bundle


def _may_patch(objects: Objects) -> bool:
    return "patch" in str(objects["ClusterRole", NAME]["rules"])


def test_by_itself_the_webhook_needs_a_role_and_no_mount(render: Render) -> None:
    objects = render()
    assert _settings(objects) == ("self", True)
    assert (_mounted(objects), _bundles(objects)) == (None, {None})
    assert _annotations(objects) == [None, None]
    assert _may_patch(objects)
    assert ("Role", NAME) in objects
    assert ("RoleBinding", NAME) in objects


@pytest.mark.parametrize("values", [CERT_MANAGER, ISSUER], ids=["own", "issuer"])
def test_cert_manager_issues_and_injects_and_the_webhook_writes_paths_only(
    render: Render, values: tuple[str, ...]
) -> None:
    objects = render(*values)
    assert _settings(objects) == ("certManager", False)
    issued = objects["Certificate", NAME]
    assert _mounted(objects) == issued["spec"]["secretName"]
    place = f"{issued['metadata']['namespace']}/{issued['metadata']['name']}"
    assert _annotations(objects) == [{"cert-manager.io/inject-ca-from": place}] * 2
    assert _bundles(objects) == {None}
    assert _may_patch(objects), "the paths are the webhook's to write"
    assert not _may_patch(render(*values, TOKEN))


def test_the_certificate_is_for_the_service(render: Render) -> None:
    spec = render(*CERT_MANAGER)["Certificate", NAME]["spec"]
    assert tuple(spec["dnsNames"]) == serving_certificate.service_names(NAME, NAMESPACE)
    assert "server auth" in spec["usages"]


def test_without_an_issuer_the_chart_makes_an_authority_whose_key_stays(render: Render) -> None:
    objects = render(*CERT_MANAGER)
    issuer = objects["Issuer", f"{NAME}-ca"]
    authority = objects["Certificate", f"{NAME}-ca"]["spec"]
    assert objects["Certificate", NAME]["spec"]["issuerRef"] == {
        "name": issuer["metadata"]["name"],
        "kind": "Issuer",
        "group": "cert-manager.io",
    }
    assert issuer["spec"]["ca"]["secretName"] == authority["secretName"]
    assert authority["isCA"]
    assert authority["privateKey"]["rotationPolicy"] == "Never"
    assert ("Issuer", authority["issuerRef"]["name"]) in objects
    # Not the Secret in which the webhook keeps its own authorities in mode self.
    assert authority["secretName"] != f"{NAME}-ca"


def test_with_an_issuer_the_chart_makes_no_authority(render: Render) -> None:
    objects = render(*ISSUER)
    assert objects["Certificate", NAME]["spec"]["issuerRef"] == {
        "name": "corporate",
        "kind": "ClusterIssuer",
        "group": "cert-manager.io",
    }
    assert not [name for kind, name in objects if kind == "Issuer"]
    assert ("Certificate", f"{NAME}-ca") not in objects


def test_a_secret_of_yours_is_mounted_and_its_authority_published_by_the_webhook(
    render: Render,
) -> None:
    objects = render(*SECRET)
    assert _settings(objects) == ("secret", True)
    assert (_mounted(objects), _bundles(objects)) == ("mine", {None})
    assert _may_patch(objects)


def test_a_bundle_of_yours_is_in_every_webhook_and_left_alone(render: Render) -> None:
    objects = render(*BUNDLE)
    assert _settings(objects) == ("secret", False)
    assert _bundles(objects) == {base64.b64encode(PEM.encode()).decode()}
    assert _may_patch(objects), "the paths are the webhook's to write"


def test_with_a_bundle_and_a_token_of_yours_the_webhook_may_change_no_configuration(
    render: Render,
) -> None:
    objects = render(*BUNDLE, TOKEN)
    assert not _may_patch(objects)
    text = objects["ConfigMap", "elastic-quota-config"]["data"]["config.yaml"]
    assert not model.parse(text).webhook.certificates.publish_path
    for found in _configurations(objects):
        for webhook in found["webhooks"]:
            path = webhook["clientConfig"]["service"]["path"]
            kind = found["kind"].removesuffix("WebhookConfiguration").lower()
            assert path == f"/{'t' * 32}{webhook_paths.ROUTES[kind][webhook['name']]}"


def test_a_token_that_can_be_guessed_is_refused(refusal: Refusal) -> None:
    assert "pathToken" in refusal('webhook.pathToken="short"')


def test_the_secret_of_the_authorities_is_made_empty_and_filled_by_the_webhook(
    render: Render,
) -> None:
    made = render()["Secret", f"{NAME}-ca"]
    assert not made.keys() & {"data", "stringData"}, "an upgrade would empty it"
    assert ("Secret", f"{NAME}-ca") not in render(*SECRET)


@every_way
def test_secrets_are_read_and_written_by_the_api_only_in_mode_self(
    render: Render, values: tuple[str, ...]
) -> None:
    objects = render(*values)
    roles = [found["rules"] for (kind, _), found in objects.items() if kind.endswith("Role")]
    assert ("secrets" in str(roles)) == (values == SELF)
    assert (("RoleBinding", NAME) in objects) == (values == SELF)


@every_way
def test_cert_manager_is_asked_for_nothing_unless_it_is_chosen(
    render: Render, values: tuple[str, ...]
) -> None:
    apis = {found["apiVersion"] for found in render(*values).values()}
    assert ("cert-manager.io/v1" in apis) == (values in (CERT_MANAGER, ISSUER))


@every_way
def test_every_way_lints(
    helm: Callable[..., "subprocess.CompletedProcess[str]"],
    chart: Any,
    values: tuple[str, ...],
) -> None:
    settings = [word for value in values for word in ("--set-json", value)]
    done = helm("lint", "--strict", str(chart), *settings)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        (
            ('webhook.certificates.mode="helm"',),
            "at '/webhook/certificates/mode': value must be one of 'self', 'certManager', 'secret'",
        ),
        (
            ('webhook.certificates.mode="secret"',),
            "at '/webhook/certificates/secretName': minLength: got 0, want 1",
        ),
        (
            ('webhook.certificates.secretName="mine"',),
            "at '/webhook/certificates/secretName': value must be ''",
        ),
        (
            (*CERT_MANAGER, f"webhook.certificates.caBundle={json.dumps(PEM)}"),
            "at '/webhook/certificates/caBundle': value must be ''",
        ),
        (
            (*SECRET, 'webhook.certificates.issuerRef.name="corporate"'),
            "at '/webhook/certificates/issuerRef/name': value must be ''",
        ),
        (
            (*SECRET, 'webhook.certificates.caBundle="LS0tLS1CRUdJTg=="'),
            "at '/webhook/certificates/caBundle': 'LS0tLS1CRUdJTg==' does not match pattern",
        ),
    ],
    ids=range(6),
)
def test_what_cannot_be_meant_is_refused(
    refusal: Refusal, values: tuple[str, ...], complaint: str
) -> None:
    assert complaint in refusal(*values)
