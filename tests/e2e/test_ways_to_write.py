"""However a quota is written, the answer is the same: by kubectl and by the API itself.

Single rules, tenants' rights and the deletion of whole namespaces have files of their own.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

import namespaces
import tenants
import users
from installation import Kubectl
from scenes import PREFIX, Pool, condition
from users import Document, RefusedError, User
from waiting import eventually


pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("admission")]

EVERY_REPLICA = 8
"""This many requests in a row reach both replicas."""


class QuotaWriter:
    """Writes quotas by kubectl and by plain requests; methods return the refusal, "" when done."""

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


def post(writer: QuotaWriter, short: str, wanted: Document, **how: str) -> str:
    return writer.http("POST", short, wanted, **how)


def apply(writer: QuotaWriter, short: str, wanted: Document, manager: str = "a", **how: str) -> str:
    return writer.http(
        "PATCH", short, wanted, content="apply-patch+yaml", fieldManager=manager, **how
    )


def retry_conflicts(write: Callable[[], str]) -> str:
    """Retry: the controller, which writes annotations of a new quota, may write between read and
    write.
    """
    return eventually(write, lambda said: "the object has been modified" not in said)


def put(writer: QuotaWriter, short: str, wanted: Document, **how: str) -> str:
    def write() -> str:
        return writer.http("PUT", short, writer.pool.get(short) | {"spec": wanted["spec"]}, **how)

    return retry_conflicts(write)


def merge_patch(writer: QuotaWriter, short: str, wanted: Document, **how: str) -> str:
    change = {"spec": wanted["spec"]}
    return writer.http("PATCH", short, change, content="merge-patch+json", **how)


def json_patch(writer: QuotaWriter, short: str, wanted: Document, **how: str) -> str:
    change = [{"op": "replace", "path": "/spec", "value": wanted["spec"]}]
    return writer.http("PATCH", short, change, content="json-patch+json", **how)


def kubectl_create(writer: QuotaWriter, short: str, wanted: Document, *flags: str) -> str:
    return writer.kubectl("create", "-f", "-", *flags, stdin=wanted)


def kubectl_apply(writer: QuotaWriter, short: str, wanted: Document, *flags: str) -> str:
    return writer.kubectl("apply", "-f", "-", *flags, stdin=wanted)


def kubectl_apply_on_the_server(
    writer: QuotaWriter, short: str, wanted: Document, *flags: str
) -> str:
    return writer.kubectl("apply", "--server-side", "-f", "-", *flags, stdin=wanted)


def kubectl_replace(writer: QuotaWriter, short: str, wanted: Document, *flags: str) -> str:
    def write() -> str:
        whole = writer.pool.get(short) | {"spec": wanted["spec"]}
        return writer.kubectl("replace", "-f", "-", *flags, stdin=whole)

    return retry_conflicts(write)


def kubectl_patch(writer: QuotaWriter, short: str, wanted: Document, *flags: str) -> str:
    change = json.dumps({"spec": wanted["spec"]})
    return writer.kubectl(
        "patch", "eq", writer.pool.name(short), "--type=merge", "-p", change, *flags
    )


def put_anew(writer: QuotaWriter, short: str, wanted: Document) -> str:
    """Replace the whole quota, as of its latest version, without what was filled in."""

    def write() -> str:
        version = writer.pool.get(short)["metadata"]["resourceVersion"]
        metadata = wanted["metadata"] | {"resourceVersion": version}
        return writer.http("PUT", short, wanted | {"metadata": metadata})

    return retry_conflicts(write)


def kubectl_replace_anew(writer: QuotaWriter, short: str, wanted: Document) -> str:
    return retry_conflicts(lambda: writer.kubectl("replace", "-f", "-", stdin=wanted))


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
    pool = Pool(admin, namespaces.new(admin))
    pool.open(nodes=2, cpu=8)
    yield pool
    pool.close()


@pytest.fixture
def writer(tree: Pool, kubectl: Kubectl) -> Iterator[QuotaWriter]:
    """A department with a min of 8, of which its team-b has 3; emptied afterwards."""
    tree.department("dept", min=8, max=16)
    tree.quota("team-b", parent="dept", min=3, max=16)
    yield QuotaWriter(tree, kubectl)
    for found in sorted(
        tree.admin.list("ElasticQuota", tree.namespace),
        key=lambda quota: quota["metadata"]["name"] == tree.name("dept"),
    ):
        if found["metadata"]["name"] != tree.root:
            tree.admin.delete("ElasticQuota", found["metadata"]["name"], tree.namespace)


def team(writer: QuotaWriter, short: str, cpu: int) -> Document:
    manifest = writer.pool.quota_manifest(short, parent="dept", min=cpu, max=16)
    del manifest["metadata"]["annotations"]  # the empty list sets no owner
    return manifest


def minimum(writer: QuotaWriter, short: str) -> str:
    return str(writer.pool.get(short)["spec"]["min"]["cpu"])


@by_every_creation
def test_a_new_quota_is_judged_and_completed(writer: QuotaWriter, create: Way) -> None:
    said = create(writer, "team-a", team(writer, "team-a", 6))
    assert "spec.min.cpu: 6 must be less than or equal to 5, the unreserved min" in said
    assert writer.pool.admin.find(
        "ElasticQuota", writer.pool.name("team-a"), writer.pool.namespace
    ) is (None)
    assert create(writer, "team-a", team(writer, "team-a", 5)) == ""
    labels = writer.pool.get("team-a")["metadata"]["labels"]
    root = writer.pool.root_quota()["metadata"]["labels"]
    assert labels[f"{PREFIX}tree-id"] == root[f"{PREFIX}tree-id"]


@by_every_change
def test_a_change_is_judged(writer: QuotaWriter, change: Way) -> None:
    create = kubectl_apply if change is kubectl_apply else post
    assert create(writer, "team-a", team(writer, "team-a", 4)) == ""
    said = change(writer, "team-a", team(writer, "team-a", 6))
    assert "spec.min.cpu: 6 must be less than or equal to 5, the unreserved min" in said
    assert minimum(writer, "team-a") == "4"
    assert change(writer, "team-a", team(writer, "team-a", 5)) == ""
    assert minimum(writer, "team-a") == "5"


@pytest.mark.parametrize("again", [kubectl_apply, kubectl_apply_on_the_server, apply])
def test_what_was_filled_in_survives_the_next_apply_of_the_same_manifest(
    writer: QuotaWriter, again: Way
) -> None:
    wanted = team(writer, "team-a", 4)
    assert again(writer, "team-a", wanted) == ""
    first = writer.pool.get("team-a")
    assert again(writer, "team-a", wanted) == ""
    second = writer.pool.get("team-a")
    assert second["metadata"]["labels"] == first["metadata"]["labels"]
    assert second["metadata"]["generation"] == first["metadata"]["generation"]


@pytest.mark.parametrize("replace", [put_anew, kubectl_replace_anew])
def test_a_quota_that_is_replaced_by_its_own_manifest_stays_in_its_tree(
    writer: QuotaWriter, replace: Way
) -> None:
    assert post(writer, "team-a", team(writer, "team-a", 4)) == ""
    tree = writer.pool.get("team-a")["metadata"]["labels"][f"{PREFIX}tree-id"]
    # The controller may just write a figure. Then kubectl reports a conflict, and the user tries
    # again.
    eventually(lambda: replace(writer, "team-a", team(writer, "team-a", 5)), "")
    assert minimum(writer, "team-a") == "5"
    assert writer.pool.get("team-a")["metadata"]["labels"][f"{PREFIX}tree-id"] == tree
    assert "must be less than or equal to 5" in replace(writer, "team-a", team(writer, "team-a", 6))
    wanted = team(writer, "team-a", 0)
    wanted["metadata"]["labels"][f"{PREFIX}parent"] = "koordinator-root-quota"
    assert "must stay there" in replace(writer, "team-a", wanted)


# -- two managers


def test_a_second_manager_learns_who_owns_the_field_and_force_breaks_no_rule(
    writer: QuotaWriter,
) -> None:
    wanted = team(writer, "team-a", 4)
    assert apply(writer, "team-a", wanted, "first") == ""
    said = apply(writer, "team-a", team(writer, "team-a", 3), "second")
    assert 'conflict with "first": .spec.min.cpu' in said
    assert minimum(writer, "team-a") == "4"
    said = apply(writer, "team-a", team(writer, "team-a", 6), "second", force="true")
    assert "spec.min.cpu: 6 must be less than or equal to 5" in said
    assert minimum(writer, "team-a") == "4"
    assert apply(writer, "team-a", team(writer, "team-a", 5), "second", force="true") == ""
    assert minimum(writer, "team-a") == "5"
    assert 'conflict with "second"' in apply(writer, "team-a", wanted, "first")


def test_kubectl_reports_the_same_conflict(writer: QuotaWriter) -> None:
    def applied(cpu: int, manager: str, *flags: str) -> str:
        wanted = team(writer, "team-a", cpu)
        return kubectl_apply_on_the_server(
            writer, "team-a", wanted, f"--field-manager={manager}", *flags
        )

    assert applied(4, "first") == ""
    assert 'conflict with "first"' in applied(3, "second")
    assert "must be less than or equal to 5" in applied(6, "second", "--force-conflicts")
    assert applied(3, "second", "--force-conflicts") == ""
    assert minimum(writer, "team-a") == "3"


def test_a_manager_of_another_field_causes_no_conflict(writer: QuotaWriter) -> None:
    assert apply(writer, "team-a", team(writer, "team-a", 4), "first") == ""
    note: Document = {
        "apiVersion": "scheduling.sigs.k8s.io/v1alpha1",
        "kind": "ElasticQuota",
        "metadata": {"name": writer.pool.name("team-a"), "annotations": {"example.com/note": "x"}},
    }
    assert apply(writer, "team-a", note, "second") == ""
    assert apply(writer, "team-a", team(writer, "team-a", 5), "first") == ""
    assert writer.pool.get("team-a")["metadata"]["annotations"]["example.com/note"] == "x"


def test_two_managers_of_settings_beside_each_other_do_not_fight(writer: QuotaWriter) -> None:
    """The fields of one setting, too, have managers of their own; what follows them has none."""

    def applied(manager: str, **spec: object) -> str:
        wanted = writer.pool.quota_manifest("team-a")
        del wanted["metadata"]["labels"], wanted["metadata"]["annotations"]
        said = f"--field-manager={manager}"
        return kubectl_apply_on_the_server(writer, "team-a", wanted | {"spec": spec}, said)

    first = {"max": {"cpu": "5"}, "reclaim": {"grace": "5s"}, "access": {"pods": ["a"]}}
    second = {"max": {"memory": "1Gi"}, "reclaim": {"overMaxDelay": "2m"}, "lends": False}
    for _ in range(2):
        assert applied("first", **first, parent=writer.pool.root) == ""
        assert applied("second", **second) == ""
    found = writer.pool.get("team-a")
    assert found["spec"]["max"] == {"cpu": "5", "memory": "1Gi"}
    assert found["spec"]["reclaim"] == {"grace": "5s", "overMaxDelay": "2m"}
    labels = found["metadata"]["labels"]
    assert labels[f"{PREFIX}parent"] == writer.pool.root
    assert labels[f"{PREFIX}allow-lent-resource"] == "false"
    assert 'conflict with "first"' in applied("second", reclaim={"grace": "9s"})


@pytest.mark.parametrize("apply_it", [apply, kubectl_apply, kubectl_apply_on_the_server])
def test_a_list_that_is_emptied_stays_and_does_not_open_the_quota(
    writer: QuotaWriter, apply_it: Way
) -> None:
    wanted = team(writer, "team-a", 4)
    for listed in (["a", "b"], []):
        wanted["spec"]["access"] = {"pods": listed}
        assert apply_it(writer, "team-a", wanted) == ""
        assert writer.pool.get("team-a")["spec"]["access"] == {"pods": listed}


# -- dry run


@by_every_creation
def test_a_dry_run_of_a_create_leaves_no_trace(writer: QuotaWriter, create: Way) -> None:
    def on_trial(short: str) -> str:
        if create in (post, apply):
            return create(writer, short, team(writer, short, 5), dryRun="All")
        return create(writer, short, team(writer, short, 5), "--dry-run=server")

    for _ in range(EVERY_REPLICA):
        assert on_trial("team-a") == ""
    # A sibling takes all that the dry runs would have taken, and then the same create is real.
    assert create(writer, "team-c", team(writer, "team-c", 5)) == ""
    assert "must be less than or equal to 0" in on_trial("team-a")
    writer.pool.admin.delete("ElasticQuota", writer.pool.name("team-c"), writer.pool.namespace)
    assert create(writer, "team-a", team(writer, "team-a", 5)) == ""


@pytest.mark.parametrize("change", [put, merge_patch, json_patch])
def test_a_dry_run_of_a_change_leaves_no_trace(writer: QuotaWriter, change: Way) -> None:
    assert post(writer, "team-a", team(writer, "team-a", 5)) == ""
    for _ in range(EVERY_REPLICA):
        assert change(writer, "team-a", team(writer, "team-a", 1), dryRun="All") == ""
    said = post(writer, "team-c", team(writer, "team-c", 4))
    assert "must be less than or equal to 0, the unreserved min" in said
    assert minimum(writer, "team-a") == "5"


def test_a_dry_run_of_a_delete_leaves_no_trace(writer: QuotaWriter) -> None:
    assert post(writer, "team-a", team(writer, "team-a", 5)) == ""
    name = writer.pool.name("team-a")
    for _ in range(EVERY_REPLICA):
        assert writer.kubectl("delete", "eq", name, "--dry-run=server") == ""
    assert "must be less than or equal to 0" in post(writer, "team-c", team(writer, "team-c", 4))
    assert minimum(writer, "team-a") == "5"


# -- deletion


@pytest.mark.parametrize("propagation", ["Orphan", "Background", "Foreground"])
def test_every_propagation_policy_deletes_a_leaf_and_no_parent(
    writer: QuotaWriter, propagation: str
) -> None:
    options = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": propagation}
    assert "while it has children" in writer.http("DELETE", "dept", options)
    assert "deletionTimestamp" not in writer.pool.get("dept")["metadata"]
    for short in ("team-b", "dept"):
        assert writer.http("DELETE", short, options) == ""
        name = writer.pool.name(short)
        eventually(
            partial(writer.pool.admin.find, "ElasticQuota", name, writer.pool.namespace), None
        )


@pytest.mark.parametrize("cascade", ["orphan", "background", "foreground"])
def test_kubectl_says_why_a_parent_is_not_deleted(writer: QuotaWriter, cascade: str) -> None:
    said = writer.kubectl("delete", "eq", writer.pool.name("dept"), f"--cascade={cascade}")
    assert f"while it has children: {writer.pool.name('team-b')}. " in said
    assert writer.kubectl("delete", "eq", writer.pool.name("team-b"), f"--cascade={cascade}") == ""


# -- what was stored without a webhook


@pytest.fixture
def bad(writer: QuotaWriter) -> QuotaWriter:
    """The quota team-a asks for more than its parent has."""
    with tenants.without_webhooks(writer.pool.admin):
        assert post(writer, "team-a", team(writer, "team-a", 9)) == ""
    eventually(lambda: condition(writer.pool.get("team-a"), "Accepted")["status"], "False")
    return writer


Edit = Callable[[str], str]


@pytest.fixture
def edit(bad: QuotaWriter, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Edit:
    """``kubectl edit`` of the bad quota, with this command as the editor."""

    def run(editor: str) -> str:
        monkeypatch.setenv("KUBE_EDITOR", editor)
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        return bad.kubectl("edit", "eq", bad.pool.name("team-a"))

    return run


def test_a_stored_bad_quota_accepts_edits_that_change_nothing_relevant(
    bad: QuotaWriter, edit: Edit
) -> None:
    name = bad.pool.name("team-a")
    assert edit("true") == ""
    assert put(bad, "team-a", bad.pool.get("team-a")) == ""
    assert bad.kubectl("annotate", "eq", name, "example.com/note=x") == ""
    assert bad.kubectl("label", "eq", name, "example.com/mark=old") == ""
    assert edit("sed -i 's,com/mark: old,com/mark: new,'") == ""
    # The same amount, written differently.
    assert merge_patch(bad, "team-a", {"spec": {"min": {"cpu": "9000m"}}}) == ""
    meta = bad.pool.get("team-a")["metadata"]
    assert meta["annotations"]["example.com/note"] == "x"
    assert meta["labels"]["example.com/mark"] == "new"
    assert condition(bad.pool.get("team-a"), "Accepted")["status"] == "False"


def test_a_stored_bad_quota_cannot_be_made_worse_and_the_editor_shows_why(
    bad: QuotaWriter, edit: Edit, tmp_path: Path
) -> None:
    shown, script = tmp_path / "shown", tmp_path / "editor"
    script.write_text(f"""cat "$1" >>{shown}; sed -i 's,cpu: "9",cpu: "10",' "$1"\n""")
    edit(f"sh {script}")
    assert "spec.min.cpu: 10 must be less than or equal to 5, the unreserved" in shown.read_text()
    assert minimum(bad, "team-a") == "9"


def repaired_by_edit(writer: QuotaWriter, edit: Edit) -> str:
    return edit("""sed -i 's,cpu: "9",cpu: "5",'""")


def repaired_by_patch(writer: QuotaWriter, edit: Edit) -> str:
    return merge_patch(writer, "team-a", {"spec": {"min": {"cpu": "5"}}})


def repaired_by_apply(writer: QuotaWriter, edit: Edit) -> str:
    return apply(writer, "team-a", team(writer, "team-a", 5), force="true")


@pytest.mark.parametrize("repair", [repaired_by_edit, repaired_by_patch, repaired_by_apply])
def test_a_stored_bad_quota_is_repaired(
    bad: QuotaWriter, edit: Edit, repair: Callable[[QuotaWriter, Edit], str]
) -> None:
    assert repair(bad, edit) == ""
    eventually(lambda: condition(bad.pool.get("team-a"), "Accepted")["status"], "True")
