"""``tree``: prints the quotas in their trees, from the status that the controller writes.

Nothing is computed here: a figure that the controller has not published is shown as ``-``. A quota
in no tree (not accepted for its place, or not seen yet) comes last, by itself.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from elasticquota import quantity
from elasticquota.structs import Struct, field
from elasticquota_cli.failures import failure, refusal
from elasticquota_cli.failures.failure import Failure
from elasticquota_cli.live import listing
from elasticquota_cli.printers import amount, output, table
from elasticquota_cli.printers.output import Form
from elasticquota_kube.client import paths
from elasticquota_kube.client.api import Api
from elasticquota_kube.client.credentials.login import Login


_HEAD = ("QUOTA", "NAMESPACE", "CPU", "MEMORY", "GPU", "PODS", "GATED", "ACCEPTED")
_WIDE = ("PARENT", "MIN", "MESSAGE")
_SPARED = ("NAMESPACE",)
"""What a narrow terminal has no room for; wide shows it."""


class QuotaSubtree(Struct):
    """A quota and its children; without a manifest it is a built-in root."""

    name: str
    manifest: dict[str, Any] = field(default_factory=dict)
    children: list["QuotaSubtree"] = field(default_factory=list)

    @property
    def status(self) -> dict[str, Any]:
        return self.manifest.get("status") or {}

    @property
    def namespace(self) -> str:
        return str((self.manifest.get("metadata") or {}).get("namespace", ""))


def show(login: Login, form: Form, selector: str = "", *, headers: bool = True) -> None:
    """Print the trees; raises `Failure` when the API server cannot be reached.

    Without a namespace those of all are read, or of the context's if the others may not be.
    """
    cluster = listing.Cluster(login)
    named, usual = login.namespace, cluster.namespace
    found = cluster.run(lambda api: _quotas(api, named, usual, selector))
    write(found, form, headers=headers)


def write(quotas: Sequence[dict[str, Any]], form: Form, *, headers: bool = True) -> None:
    """Print the trees of ``quotas``; wide has the minima and why a quota is not accepted."""
    trees = plant(quotas)
    output.write(
        [_document(branch) for branch in trees],
        form,
        lambda: _table(trees, wide=form == "wide", headers=headers),
        (output.quota(quota["metadata"]["name"]) for quota in quotas),
    )


def _table(trees: Sequence[QuotaSubtree], *, wide: bool, headers: bool) -> None:
    if not trees:
        print("No ElasticQuota found.")
        return
    head = (*_HEAD, *_WIDE) if wide else _HEAD
    lines = (line for branch in trees for line in _lines(branch))
    cut = [line._replace(cells=line.cells[: len(head)]) for line in lines]
    table.show(head, cut, headers=headers, spared=() if wide else _SPARED)


async def _quotas(api: Api, named: str, usual: str, selector: str) -> Sequence[dict[str, Any]]:
    params = {"labelSelector": selector} if selector else {}
    for where in dict.fromkeys((named or None, named or usual)):
        found = await listing.listed(api, paths.QUOTAS, where, into=dict[str, Any], params=params)
        if found is not None:
            if where != (named or None):
                note = f"only quotas of namespace '{usual}': you may not list the others"
                failure.note((note,))
            return found
    raise Failure(refusal.forbidden(paths.QUOTAS, named or usual))


def plant(quotas: Sequence[dict[str, Any]]) -> list[QuotaSubtree]:
    """The trees sorted by name, then the quotas that are in no tree."""
    branches = [QuotaSubtree(quota["metadata"]["name"], quota) for quota in quotas]
    branches.sort(key=lambda branch: (branch.name, branch.namespace))
    standing = {branch.name: branch for branch in branches if branch.status.get("tree")}
    roots: dict[str, QuotaSubtree] = {}
    for branch in list(standing.values()):
        parent = str(branch.status.get("parent") or "")
        if parent in standing:
            standing[parent].children.append(branch)
        else:
            root = parent if branch.status["tree"] == parent else branch.name
            roots.setdefault(root, QuotaSubtree(root) if root == parent else branch)
            if root == parent:
                roots[root].children.append(branch)
    top = [roots[name] for name in sorted(roots)]
    reached = {id(branch) for root in top for branch in _walk(root)}
    # Without their children: those of a cycle are above them, too.
    return top + [
        QuotaSubtree(branch.name, branch.manifest)
        for branch in branches
        if id(branch) not in reached
    ]


def _walk(branch: QuotaSubtree) -> Iterator[QuotaSubtree]:
    yield branch
    for child in branch.children:
        yield from _walk(child)


def _lines(branch: QuotaSubtree, lead: str = "", branching: str = "") -> Iterator[table.Line]:
    status = branch.status
    summary: dict[str, str] = status.get("summary") or {}
    pods: dict[str, int] = status.get("pods") or {}
    gated = pods.get("gated")
    verdict = _accepted(status)
    style: table.Style = "bad" if verdict.startswith("False") else "waiting" if gated else "plain"
    cells = (
        f"{lead}{branching}{branch.name}",
        branch.namespace,
        summary.get("cpu", "-"),
        summary.get("memory", "-"),
        summary.get("gpu", ""),
        str(pods.get("admitted", "-")),
        "-" if gated is None else str(gated),
        verdict,
        str(status.get("parent") or ""),
        _min(branch.manifest),
        _message(status),
    )
    yield table.Line(cells, style)
    below = lead + {"": "", table.FORK: table.TRUNK, table.END: "   "}[branching]
    for index, child in enumerate(branch.children):
        last = index == len(branch.children) - 1
        yield from _lines(child, below, table.END if last else table.FORK)


def _accepted(status: dict[str, Any]) -> str:
    """Whether the quota is accepted, and whether its tree only observes."""
    found = _condition(status, "Accepted")
    if not found:
        return "-"
    if found.get("status") != "True":
        return f"False ({found.get('reason', '')})"
    observed = _condition(status, "Observed").get("status") == "True"
    return "True (observed)" if observed else "True"


def _message(status: dict[str, Any]) -> str:
    """Why the quota is not accepted; empty: it is."""
    found = _condition(status, "Accepted")
    return "" if found.get("status") == "True" else str(found.get("message") or "")


def _condition(status: dict[str, Any], kind: str) -> dict[str, Any]:
    """The condition of this type; empty: there is none."""
    conditions: list[dict[str, Any]] = status.get("conditions") or []
    return next((each for each in conditions if each.get("type") == kind), {})


def _min(manifest: dict[str, Any]) -> str:
    found = (manifest.get("spec") or {}).get("min") or {}
    try:
        return amount.written(found)
    except quantity.QuantityError:
        return ", ".join(f"{found[key]} {key}" for key in amount.ordered(found))


def _document(branch: QuotaSubtree) -> dict[str, Any]:
    """The JSON of a branch. Stable: keys are added, never renamed."""
    spec = branch.manifest.get("spec") or {}
    return {
        "quota": branch.name,
        "namespace": branch.namespace,
        "spec": spec,
        "status": branch.status,
        "children": [_document(child) for child in branch.children],
    }
