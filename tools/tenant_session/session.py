"""The cluster of the session: two teams of one department, and a member of each as its user.

The setting is that of ``examples/two-teams``, made by the administrator before the page begins. The
members have the ClusterRole ``edit`` in their namespace and nothing else.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from demo import claims, tenant
from demo.client import Client
from local_cluster import build, cluster, product
from tenant_session import story
from tenant_session.recorder import Recorder


ROOT: Final = build.TOOLS.parent
PAGE: Final = ROOT / "docs" / "tutorials" / "a-tenant-sees.md"
VALUES: Final = {"config": {"reclaim": {"graceSeconds": story.GRACE_SECONDS}}}
_EXAMPLE: Final = "examples/two-teams"
_MEMBERS: Final = {"alice": "team-a", "bob": "team-b"}


def recorded(folder: Path, say: Callable[[str], None] = lambda _: None) -> str:
    """The page, from a new cluster in ``folder`` that ends with the call.

    Raises ``ClaimError``, ``SessionError`` or ``CommandError`` where something does not happen.
    """
    with cluster.start(folder, say=say) as running:
        say("installing the operator")
        product.install(running, VALUES)
        admin = Client(running.binary("kubectl"), running.kubeconfig, ROOT)
        _prepare(admin)
        with _members(admin) as users:
            programs = (running.binary("kubectl").parent, Path(build.TOOLS.parent, ".venv", "bin"))
            recorder = Recorder(users, programs, ROOT)
            for chapter in story.CHAPTERS:
                say(chapter.__name__)
                chapter(recorder, admin)
            return recorder.page


def _prepare(admin: Client) -> None:
    for files in (("1-nodes", "2-profiles"), ("3-quotas", "4-priorities")):
        admin.must("apply", *(word for file in files for word in ("-f", f"{_EXAMPLE}/{file}.yaml")))
        _await_accepted(admin, "elasticquotaprofiles" if "1-nodes" in files else "elasticquotas")
    for name, namespace in _MEMBERS.items():
        account = f"--serviceaccount={namespace}:{name}"
        admin.must("create", "serviceaccount", name, "-n", namespace)
        edits = ("create", "rolebinding", f"{name}-edits", "-n", namespace, "--clusterrole=edit")
        admin.must(*edits, account)
        _await_right(admin, namespace, name)


def _await_accepted(admin: Client, plural: str) -> None:
    admin.must("wait", "--for=condition=Ready", plural, "--all", "-A", "--timeout=25s")


def _await_right(admin: Client, namespace: str, name: str) -> None:
    """The chart's roles reach ``edit`` by aggregation, which takes a moment."""
    whose = f"--as=system:serviceaccount:{namespace}:{name}"
    claims.await_true(
        f"{name} may read quotas",
        lambda: (
            admin.run("auth", "can-i", "list", "elasticquotas", "-n", namespace, whose).code == 0
        ),
    )


@contextmanager
def _members(admin: Client) -> Iterator[dict[str, Path]]:
    """The kubeconfig of each member, with the namespace that it works in."""
    with ExitStack() as stack:
        found = {}
        for name, namespace in _MEMBERS.items():
            place = stack.enter_context(tenant.kubeconfig(admin, name, namespace))
            config = json.loads(place.read_text())
            config["contexts"][0]["context"]["namespace"] = namespace
            place.write_text(json.dumps(config))
            found[name] = place
        yield found
