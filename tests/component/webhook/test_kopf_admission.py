"""Reviews that come through Kopf reach the webhook's handlers as the API server wrote them."""

from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import kopf
import pytest

from api_double import ApiDouble
from elasticquota_kube.client import paths
from elasticquota_webhooks.kopf_admission import KopfAdmission
from webhook_fixture import Document, parent, quota


@pytest.fixture
async def admission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[KopfAdmission]:
    monkeypatch.delenv("ELASTIC_QUOTA_CONFIG", raising=False)
    monkeypatch.setenv("POD_NAMESPACE", "operator")
    async with ApiDouble() as double:
        double.put(paths.NAMESPACES, {"metadata": {"name": "teams"}})
        double.put(paths.QUOTAS, parent("dept", {"cpu": "4"}))
        monkeypatch.setenv("KUBECONFIG", str(double.kubeconfig(tmp_path)))
        found = KopfAdmission()
        await found.start()
        yield found
        await found.stop()


def asked(new: Document, **more: Any) -> dict[str, Any]:
    """What Kopf gives a handler of a new quota."""
    meta = new["metadata"]
    resource = SimpleNamespace(group=paths.QUOTAS.group, version="v1alpha1", plural="elasticquotas")
    return {
        "resource": resource,
        "new": new,
        "old": None,
        "uid": None,
        "name": meta["name"],
        "namespace": meta["namespace"],
        "operation": "CREATE",
        "subresource": None,
        "userinfo": {"username": "a-user", "groups": ["system:authenticated"]},
        "dryrun": False,
        "warnings": [],
        "patch": kopf.Patch(body=cast("kopf.Body", new)),
        **more,
    }


async def test_a_patch_becomes_kopfs(admission: KopfAdmission) -> None:
    request = asked(quota("team", {"cpu": "1"}, spec={"parent": "dept"}))
    await admission.answer("/mutate/elasticquota", request)
    (change,) = request["patch"].as_json_patch()
    assert change["op"] == "add"
    assert change["path"].startswith("/metadata/labels")
    assert "dept" in str(change["value"])


async def test_a_refusal_has_the_message_and_the_code_of_the_webhook(
    admission: KopfAdmission,
) -> None:
    request = asked(quota("team", {"cpu": "5"}, parent="dept"))
    with pytest.raises(kopf.AdmissionError, match=r"spec.min.cpu: 5 must be .*EQ1104") as refused:
        await admission.answer("/validate/elasticquota", request)
    assert refused.value.code == 422
    assert request["patch"].fns == []


async def test_a_warning_is_handed_over(admission: KopfAdmission) -> None:
    request = asked(quota("team", {"cpu": "1"}, parent="dept"))
    await admission.answer("/validate/elasticquota", request)
    assert "EQ1004" in request["warnings"][0]


async def test_an_object_that_cannot_be_read_is_the_senders_error(admission: KopfAdmission) -> None:
    request = asked(quota("team"), operation="NONE")
    with pytest.raises(kopf.AdmissionError) as refused:
        await admission.answer("/validate/elasticquota", request)
    assert refused.value.code == 400
