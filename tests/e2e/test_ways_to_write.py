"""However a quota is written, the answer is the same: kubectl's ways and the API's own.

Single rules, tenants' rights and the deletion of whole namespaces have files of their own.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

import tenants
import users
from installation import Kubectl
from scenes import PREFIX, Pool, condition, new_namespace
from users import Document, RefusedError, User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("admission")]

EVERY_REPLICA = 8
"""So many requests in a row reach both replicas."""


class Desk:
    """Somebody writes quotas by kubectl and by plain requests; "" means that it was done."""

    def __init__(self, pool: Pool, kubectl: Kubectl) -> None:
        self.pool = pool
        self._run = kubectl

    def kubectl(self, *words: str, stdin: Document | None = None) -> str:
        text = "" if stdin is None else json.dumps(stdin)
        done = self._run.attempt(*words, "-n", self.pool.namespace, stdin=text)
        return done.stderr if done.returncode else ""

    def http(self, method: str, short: str, body: Document | list[Document], **how: str) -> str:
        """``content`` names the form of a patch, other words are parameters of the request."""
        content = how.pop("content", "json")
        named = "" if method == "POST" else self.pool.name(short)
        path = users._path("ElasticQuota", self.pool.namespace, named)
        try:
            self.pool.admin._request(
                method, path, body, query=how, content=f"application/{content}"
            )
        except RefusedError as refused:
            return refused.message
        return ""


Way = Callable[..., str]


def post(desk: Desk, short: str, wanted: Document, **how: str) -> str:
    return desk.http("POST", short, wanted, **how)


def apply(desk: Desk, short: str, wanted: Document, manager: str = "a", **how: str) -> str:
    return desk.http(
        "PATCH", short, wanted, content="apply-patch+yaml", fieldManager=manager, **how
    )


def unless_outrun(write: Callable[[], str]) -> str:
    """The controller, which writes annotations of a new quota, may come between read and write."""
    return eventually(write, lambda said: "the object has been modified" not in said)


def put(desk: Desk, short: str, wanted: Document, **how: str) -> str:
    def write() -> str:
        return desk.http("PUT", short, desk.pool.get(short) | {"spec": wanted["spec"]}, **how)

    return unless_outrun(write)


def merge_patch(desk: Desk, short: str, wanted: Document, **how: str) -> str:
    change = {"spec": wanted["spec"]}
    return desk.http("PATCH", short, change, content="merge-patch+json", **how)


def json_patch(desk: Desk, short: str, wanted: Document, **how: str) -> str:
    change = [{"op": "replace", "path": "/spec", "value": wanted["spec"]}]
    return desk.http("PATCH", short, change, content="json-patch+json", **how)


def kubectl_create(desk: Desk, short: str, wanted: Document, *flags: str) -> str:
    return desk.kubectl("create", "-f", "-", *flags, stdin=wanted)


def kubectl_apply(desk: Desk, short: str, wanted: Document, *flags: str) -> str:
    return desk.kubectl("apply", "-f", "-", *flags, stdin=wanted)


def kubectl_apply_on_the_server(desk: Desk, short: str, wanted: Document, *flags: str) -> str:
    return desk.kubectl("apply", "--server-side", "-f", "-", *flags, stdin=wanted)


def kubectl_replace(desk: Desk, short: str, wanted: Document, *flags: str) -> str:
    def write() -> str:
        whole = desk.pool.get(short) | {"spec": wanted["spec"]}
        return desk.kubectl("replace", "-f", "-", *flags, stdin=whole)

    return unless_outrun(write)


def kubectl_patch(desk: Desk, short: str, wanted: Document, *flags: str) -> str:
    change = json.dumps({"spec": wanted["spec"]})
    return desk.kubectl("patch", "eq", desk.pool.name(short), "--type=merge", "-p", change, *flags)


def put_anew(desk: Desk, short: str, wanted: Document) -> str:
    """The whole quota, as of its latest version, without what was filled in."""

    def write() -> str:
        version = desk.pool.get(short)["metadata"]["resourceVersion"]
        metadata = wanted["metadata"] | {"resourceVersion": version}
        return desk.http("PUT", short, wanted | {"metadata": metadata})

    return unless_outrun(write)


def kubectl_replace_anew(desk: Desk, short: str, wanted: Document) -> str:
    return unless_outrun(lambda: desk.kubectl("replace", "-f", "-", stdin=wanted))


CREATIONS = [post, apply, kubectl_create, kubectl_apply, kubectl_apply_on_the_server]
CHANGES = [
    put,
    merge_patch,
    json_patch,
    kubectl_replace,
    kubectl_patch,
    kubectl_apply,
]

by_every_creation = pytest.mark.parametrize("create", CREATIONS, ids=lambda way: way.__name__)
by_every_change = pytest.mark.parametrize("change", CHANGES, ids=lambda way: way.__name__)


@pytest.fixture(scope="module")
def tree(admission: None, admin: User) -> Iterator[Pool]:
    """One pool for all ways."""
    pool = Pool(admin, new_namespace(admin))
    pool.open(nodes=2, cpu=8)
    yield pool
    pool.close()
    admin.delete("Namespace", pool.namespace)


@pytest.fixture
def desk(tree: Pool, kubectl: Kubectl) -> Iterator[Desk]:
    """A department with a min of 8, of which its team-b has 3; emptied afterwards."""
    tree.department("dept", min=8, max=16)
    tree.quota("team-b", parent="dept", min=3, max=16)
    yield Desk(tree, kubectl)
    for found in sorted(
        tree.admin.list("ElasticQuota", tree.namespace),
        key=lambda quota: quota["metadata"]["name"] == tree.name("dept"),
    ):
        if found["metadata"]["name"] != tree.root:
            tree.admin.delete("ElasticQuota", found["metadata"]["name"], tree.namespace)


def team(desk: Desk, short: str, cpu: int) -> Document:
    manifest = desk.pool.quota_manifest(short, parent="dept", min=cpu, max=16)
    del manifest["metadata"]["annotations"]  # nobody owns them by saying that there are none
    return manifest


def minimum(desk: Desk, short: str) -> str:
    return str(desk.pool.get(short)["spec"]["min"]["cpu"])


@by_every_creation
def test_a_new_quota_is_judged_and_completed(desk: Desk, create: Way) -> None:
    said = create(desk, "team-a", team(desk, "team-a", 6))
    assert "spec.min.cpu: 6 must be less than or equal to 5, the unreserved min" in said
    assert desk.pool.admin.find("ElasticQuota", desk.pool.name("team-a"), desk.pool.namespace) is (
        None
    )
    assert create(desk, "team-a", team(desk, "team-a", 5)) == ""
    labels = desk.pool.get("team-a")["metadata"]["labels"]
    root = desk.pool.root_quota()["metadata"]["labels"]
    assert labels[f"{PREFIX}tree-id"] == root[f"{PREFIX}tree-id"]


@by_every_change
def test_a_change_is_judged(desk: Desk, change: Way) -> None:
    create = kubectl_apply if change is kubectl_apply else post
    assert create(desk, "team-a", team(desk, "team-a", 4)) == ""
    said = change(desk, "team-a", team(desk, "team-a", 6))
    assert "spec.min.cpu: 6 must be less than or equal to 5, the unreserved min" in said
    assert minimum(desk, "team-a") == "4"
    assert change(desk, "team-a", team(desk, "team-a", 5)) == ""
    assert minimum(desk, "team-a") == "5"


@pytest.mark.parametrize("again", [kubectl_apply, kubectl_apply_on_the_server, apply])
def test_what_was_filled_in_survives_the_next_apply_of_the_same_manifest(
    desk: Desk, again: Way
) -> None:
    wanted = team(desk, "team-a", 4)
    assert again(desk, "team-a", wanted) == ""
    first = desk.pool.get("team-a")
    assert again(desk, "team-a", wanted) == ""
    second = desk.pool.get("team-a")
    assert second["metadata"]["labels"] == first["metadata"]["labels"]
    assert second["metadata"]["generation"] == first["metadata"]["generation"]


@pytest.mark.parametrize("replace", [put_anew, kubectl_replace_anew])
def test_a_quota_that_is_replaced_by_its_own_manifest_stays_in_its_tree(
    desk: Desk, replace: Way
) -> None:
    assert post(desk, "team-a", team(desk, "team-a", 4)) == ""
    tree = desk.pool.get("team-a")["metadata"]["labels"][f"{PREFIX}tree-id"]
    # The controller may just write a figure: then kubectl says so, and one tries again.
    eventually(lambda: replace(desk, "team-a", team(desk, "team-a", 5)), "")
    assert minimum(desk, "team-a") == "5"
    assert desk.pool.get("team-a")["metadata"]["labels"][f"{PREFIX}tree-id"] == tree
    assert "must be less than or equal to 5" in replace(desk, "team-a", team(desk, "team-a", 6))
    wanted = team(desk, "team-a", 0)
    wanted["metadata"]["labels"][f"{PREFIX}parent"] = "koordinator-root-quota"
    assert "must stay there" in replace(desk, "team-a", wanted)


# -- two managers


def test_a_second_manager_is_told_whose_field_it_is_and_force_breaks_no_rule(desk: Desk) -> None:
    wanted = team(desk, "team-a", 4)
    assert apply(desk, "team-a", wanted, "first") == ""
    said = apply(desk, "team-a", team(desk, "team-a", 3), "second")
    assert 'conflict with "first": .spec.min.cpu' in said
    assert minimum(desk, "team-a") == "4"
    said = apply(desk, "team-a", team(desk, "team-a", 6), "second", force="true")
    assert "spec.min.cpu: 6 must be less than or equal to 5" in said
    assert minimum(desk, "team-a") == "4"
    assert apply(desk, "team-a", team(desk, "team-a", 5), "second", force="true") == ""
    assert minimum(desk, "team-a") == "5"
    assert 'conflict with "second"' in apply(desk, "team-a", wanted, "first")


def test_kubectl_says_the_same_of_a_conflict(desk: Desk) -> None:
    def applied(cpu: int, manager: str, *flags: str) -> str:
        wanted = team(desk, "team-a", cpu)
        return kubectl_apply_on_the_server(
            desk, "team-a", wanted, f"--field-manager={manager}", *flags
        )

    assert applied(4, "first") == ""
    assert 'conflict with "first"' in applied(3, "second")
    assert "must be less than or equal to 5" in applied(6, "second", "--force-conflicts")
    assert applied(3, "second", "--force-conflicts") == ""
    assert minimum(desk, "team-a") == "3"


def test_who_owns_another_field_is_in_nobodys_way(desk: Desk) -> None:
    assert apply(desk, "team-a", team(desk, "team-a", 4), "first") == ""
    note: Document = {
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {"name": desk.pool.name("team-a"), "annotations": {"example.com/note": "x"}},
    }
    assert apply(desk, "team-a", note, "second") == ""
    assert apply(desk, "team-a", team(desk, "team-a", 5), "first") == ""
    assert desk.pool.get("team-a")["metadata"]["annotations"]["example.com/note"] == "x"


# -- dry run


@by_every_creation
def test_a_creation_on_trial_leaves_no_trace(desk: Desk, create: Way) -> None:
    def on_trial(short: str) -> str:
        if create in (post, apply):
            return create(desk, short, team(desk, short, 5), dryRun="All")
        return create(desk, short, team(desk, short, 5), "--dry-run=server")

    for _ in range(EVERY_REPLICA):
        assert on_trial("team-a") == ""
    # A sibling has all that the trials would have taken, and after it the same thing itself.
    assert create(desk, "team-c", team(desk, "team-c", 5)) == ""
    assert "must be less than or equal to 0" in on_trial("team-a")
    desk.pool.admin.delete("ElasticQuota", desk.pool.name("team-c"), desk.pool.namespace)
    assert create(desk, "team-a", team(desk, "team-a", 5)) == ""


@pytest.mark.parametrize("change", [put, merge_patch, json_patch])
def test_a_change_on_trial_leaves_no_trace(desk: Desk, change: Way) -> None:
    assert post(desk, "team-a", team(desk, "team-a", 5)) == ""
    for _ in range(EVERY_REPLICA):
        assert change(desk, "team-a", team(desk, "team-a", 1), dryRun="All") == ""
    said = post(desk, "team-c", team(desk, "team-c", 4))
    assert "must be less than or equal to 0, the unreserved min" in said
    assert minimum(desk, "team-a") == "5"


def test_a_deletion_on_trial_leaves_no_trace(desk: Desk) -> None:
    assert post(desk, "team-a", team(desk, "team-a", 5)) == ""
    name = desk.pool.name("team-a")
    for _ in range(EVERY_REPLICA):
        assert desk.kubectl("delete", "eq", name, "--dry-run=server") == ""
    assert "must be less than or equal to 0" in post(desk, "team-c", team(desk, "team-c", 4))
    assert minimum(desk, "team-a") == "5"


# -- deletion


@pytest.mark.parametrize("propagation", ["Orphan", "Background", "Foreground"])
def test_every_propagation_policy_deletes_a_leaf_and_no_parent(
    desk: Desk, propagation: str
) -> None:
    options = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": propagation}
    assert "while it has children" in desk.http("DELETE", "dept", options)
    assert "deletionTimestamp" not in desk.pool.get("dept")["metadata"]
    for short in ("team-b", "dept"):
        assert desk.http("DELETE", short, options) == ""
        name = desk.pool.name(short)
        eventually(partial(desk.pool.admin.find, "ElasticQuota", name, desk.pool.namespace), None)


@pytest.mark.parametrize("cascade", ["orphan", "background", "foreground"])
def test_kubectl_says_why_a_parent_stays(desk: Desk, cascade: str) -> None:
    said = desk.kubectl("delete", "eq", desk.pool.name("dept"), f"--cascade={cascade}")
    assert f"while it has children: {desk.pool.name('team-b')}. " in said
    assert desk.kubectl("delete", "eq", desk.pool.name("team-b"), f"--cascade={cascade}") == ""


# -- what was stored while nobody judged


@pytest.fixture
def bad(desk: Desk) -> Desk:
    """The quota team-a asks for more than its parent has."""
    with tenants.without_webhooks(desk.pool.admin):
        assert post(desk, "team-a", team(desk, "team-a", 9)) == ""
    eventually(lambda: condition(desk.pool.get("team-a"), "Accepted")["status"], "False")
    return desk


Edit = Callable[[str], str]


@pytest.fixture
def edit(bad: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Edit:
    """``kubectl edit`` of the bad quota by somebody whose editor is this command."""

    def run(editor: str) -> str:
        monkeypatch.setenv("KUBE_EDITOR", editor)
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        return bad.kubectl("edit", "eq", bad.pool.name("team-a"))

    return run


def test_a_stored_bad_quota_can_be_edited_where_that_means_nothing(bad: Desk, edit: Edit) -> None:
    name = bad.pool.name("team-a")
    assert edit("true") == ""
    assert put(bad, "team-a", bad.pool.get("team-a")) == ""
    assert bad.kubectl("annotate", "eq", name, "example.com/note=x") == ""
    assert bad.kubectl("label", "eq", name, "example.com/mark=old") == ""
    assert edit("sed -i 's,com/mark: old,com/mark: new,'") == ""
    # The same amount in other words.
    assert merge_patch(bad, "team-a", {"spec": {"min": {"cpu": "9000m"}}}) == ""
    meta = bad.pool.get("team-a")["metadata"]
    assert meta["annotations"]["example.com/note"] == "x"
    assert meta["labels"]["example.com/mark"] == "new"
    assert condition(bad.pool.get("team-a"), "Accepted")["status"] == "False"


def test_a_stored_bad_quota_is_not_made_worse_and_the_editor_shows_why(
    bad: Desk, edit: Edit, tmp_path: Path
) -> None:
    shown, script = tmp_path / "shown", tmp_path / "editor"
    script.write_text(f"""cat "$1" >>{shown}; sed -i 's,cpu: "9",cpu: "10",' "$1"\n""")
    edit(f"sh {script}")
    assert "spec.min.cpu: 10 must be less than or equal to 5, the unreserved" in shown.read_text()
    assert minimum(bad, "team-a") == "9"


def repaired_by_edit(desk: Desk, edit: Edit) -> str:
    return edit("""sed -i 's,cpu: "9",cpu: "5",'""")


def repaired_by_patch(desk: Desk, edit: Edit) -> str:
    return merge_patch(desk, "team-a", {"spec": {"min": {"cpu": "5"}}})


def repaired_by_apply(desk: Desk, edit: Edit) -> str:
    return apply(desk, "team-a", team(desk, "team-a", 5), force="true")


@pytest.mark.parametrize("repair", [repaired_by_edit, repaired_by_patch, repaired_by_apply])
def test_a_stored_bad_quota_is_repaired(
    bad: Desk, edit: Edit, repair: Callable[[Desk, Edit], str]
) -> None:
    assert repair(bad, edit) == ""
    eventually(lambda: condition(bad.pool.get("team-a"), "Accepted")["status"], "True")
