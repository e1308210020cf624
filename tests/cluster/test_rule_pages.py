"""The examples of the rules' pages, typed as they stand there, get the answers that stand there."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import rule_index
from installation import Installation, Kubectl
from users import User
from waiting import eventually


pytestmark = pytest.mark.cluster

NAMESPACES = ("teams", "shop", "pools")
_YAML = re.compile(r"```yaml\n(.*?)```", re.DOTALL)
_FILE = re.compile(r"[Ii]n `(\w+\.yaml)`:")
_CONSOLE = re.compile(r"```console\n\$ kubectl (.*?)\n(.*?)\n```", re.DOTALL)

TYPED = [page for page in rule_index.pages() if _CONSOLE.search(page.read_text(encoding="utf-8"))]


@pytest.fixture(scope="module", autouse=True)
def _ground(product: Installation, kubectl: Kubectl, admin: User) -> Iterator[None]:
    for namespace in NAMESPACES:
        kubectl("create", "namespace", namespace)
        eventually(lambda: admin.find("ServiceAccount", "default", namespace), bool)  # noqa: B023 - looked at before the next
    yield
    for namespace in NAMESPACES:
        kubectl("delete", "namespace", namespace, "--wait=false")


@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.stem)
def test_kubectl_prints_what_the_page_says(page: Path, kubectl: Kubectl, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    example = text.partition("## Example")[2]
    found = _CONSOLE.search(example)
    assert found is not None
    blocks = _YAML.findall(example)
    file = _FILE.search(example)
    if file is not None:
        (tmp_path / file[1]).write_text(blocks.pop())
    for stored in blocks:
        kubectl("apply", "-f", "-", stdin=stored)
    words = [str(tmp_path / word) if word.endswith(".yaml") else word for word in found[1].split()]

    def printed() -> str:
        done = kubectl.attempt(*words)
        return (done.stderr + done.stdout).replace(f"{tmp_path}/", "").strip()

    # The other replica of the webhook learns a moment later what was stored.
    eventually(printed, found[2])
