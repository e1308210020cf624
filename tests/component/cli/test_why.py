"""``why`` answers the owner of a pod or workload with the rights of a tenant."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple, get_args

import pytest

import explain_fixture
from api_double import ApiDouble, Refusal
from api_double.kinds import Kind
from elasticquota import names
from elasticquota.jobs.kinds import table
from elasticquota.model.wait_reason import WaitReason
from elasticquota.reporting import kinds
from elasticquota_cli import main as cli
from elasticquota_cli.why import advice, owners
from elasticquota_cli.why.parts import report
from elasticquota_kube.client import paths
from live_cluster import Live
from simulated import Screen
from stored import PREFIX, Document, Stored


CLUSTER = str(Path(__file__).parents[3] / "examples" / "simulate" / "cluster.yaml")


class Said(NamedTuple):
    """An answer about pods, by its parts."""

    answer: report.WhyAnswer
    pods: report.WorkloadPods
    pod: report.PodAnswer


def read(capsys: Screen) -> Said:
    found = explain_fixture.answered(capsys)
    assert found.pods is not None
    assert found.pod is not None
    return Said(found, found.pods, found.pod)


def of_files(capsys: Screen, *words: str) -> Said:
    assert cli.main(["why", *words, "-n", "team-a", "-f", CLUSTER, "-o", "json"]) == 0
    return read(capsys)


@pytest.mark.parametrize("words", [("deploy/web",), ("deployment", "web"), ("web",)])
def test_the_pods_of_a_workload_are_summed_up(words: tuple[str, ...], capsys: Screen) -> None:
    found = of_files(capsys, *words)
    assert found.answer.summary == "Deployment team-a/web: 1 of 7 pods waits for quota team-a."
    assert found.answer.about == report.About("Deployment", "team-a", "web")
    assert found.pods == report.WorkloadPods(total=7, waiting=1, running=6)
    assert (found.pod.name, found.pod.line) == ("web-6", report.QueuePlace(1, 1))


@pytest.mark.parametrize("words", [("pod/web-6",), ("po", "web-6"), ("web-6",), ("team-a/web-6",)])
def test_a_pod_is_found_by_its_name(words: tuple[str, ...], capsys: Screen) -> None:
    found = of_files(capsys, *words).answer
    assert found.about == report.About("Pod", "team-a", "web-6")
    assert found.summary == "Pod team-a/web-6 waits for quota team-a."


def test_the_owner_reads_what_to_do(capsys: Screen) -> None:
    assert cli.main(["why", "deploy/web", "-n", "team-a", "-f", CLUSTER]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "Deployment team-a/web: 1 of 7 pods waits for quota team-a."
    assert shown[shown.index("You can") + 1 :] == [
        "  - wait: nothing else is needed",
        "  - end pods of quota team-a that are no longer needed, or run fewer of them",
        "  - ask who keeps quota team-a for a larger share of it",
    ]


def of_verb(capsys: Screen, *words: str) -> list[str]:
    assert cli.main([*words, "-n", "team-a", "-f", CLUSTER]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    "words", [("deploy/web",), ("web",), ("pod", "web-6"), ("web-0",), ("quota", "team-a")]
)
def test_explain_is_why_in_its_wide_form(words: tuple[str, ...], capsys: Screen) -> None:
    for form in ("wide", "text", "json", "yaml", "name"):
        said = of_verb(capsys, "why", *words, "-o", form)
        assert said == of_verb(capsys, "explain", *words, "-o", form)
        assert said
    assert of_verb(capsys, "explain", *words) == of_verb(capsys, "why", *words, "-o", "wide")


def test_wide_says_all_that_is_on_one_screen_and_the_sums(capsys: Screen) -> None:
    text = of_verb(capsys, "why", "deploy/web")
    wide = of_verb(capsys, "why", "deploy/web", "-o", "wide")
    assert [line for line in text if line not in wide] == []
    assert len(wide[wide.index("PATH TO THE ROOT") :]) > 4


def test_the_sums_are_in_the_report_of_a_waiting_and_of_a_running_pod(capsys: Screen) -> None:
    waiting = of_files(capsys, "pod/web-6").pod.path[0]
    assert (waiting.quota, waiting.admitted, waiting.asked, waiting.fits) == (
        "team-a",
        "12",
        "2",
        False,
    )
    running = of_files(capsys, "pod/web-0").pod.path[0]
    assert (running.quota, running.admitted, running.asked) == ("team-a", "12", "0")


@pytest.mark.parametrize("words", [("eq/team-a",), ("quota/team-a",), ("quotas", "team-a")])
def test_a_quota_is_named_as_kubectl_names_it(words: tuple[str, ...], capsys: Screen) -> None:
    found = of_verb(capsys, "why", *words)
    assert found == of_verb(capsys, "why", "quota", "team-a")
    assert "FIGURES" in found


def test_a_running_pod_says_whether_it_may_be_reclaimed(capsys: Screen) -> None:
    found = of_files(capsys, "pod/web-0")
    assert (found.pods.waiting, found.pod.state, found.pod.can_do) == (0, "Running", [])
    assert found.pod.reclaim is not None
    assert found.pod.reclaim.why.startswith("team-a holds 4 cpu beyond its min, which a pod within")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("deploy/wep",),
            "no pod of namespace team-a belongs to deployment wep; did you mean web?",
        ),
        (("pod/web-9",), "there is no pod team-a/web-9; did you mean team-a/web-6?"),
        (("wep",), "no pod is or belongs to team-a/wep; did you mean web?"),
        (("quota",), "no pod is or belongs to team-a/quota; the NAME of the quota is missing"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(
    words: tuple[str, ...], message: str, capsys: Screen
) -> None:
    assert cli.main(["why", *words, "-n", "team-a", "-f", CLUSTER]) == 1
    assert capsys.readouterr().err.splitlines()[0] == f"elastic-quota: {message}"


def test_a_bad_file_is_one_line(tmp_path: Path, capsys: Screen) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("kind: Pod\n")
    assert cli.main(["why", "x", "-f", str(bad)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_every_reason_has_an_advice() -> None:
    for reason in get_args(WaitReason):
        assert advice.of(waits_for(reason)) != advice.of(waits_for("")), reason


def waits_for(reason: str) -> report.PodAnswer:
    return report.PodAnswer(
        kind="Pod",
        namespace="team-a",
        name="web",
        state="Waiting",
        message="",
        quota="team-a",
        tree="pool",
        rule="namespace",
        rule_message="",
        request={},
        priority=0,
        reason=reason,
    )


WAITS = (
    "Waiting for quota team-a: needs 1 cpu; all 6 of its current share are in use (guaranteed 4, "
    "limit 6). Position 2 of 3. It starts when 1 cpu is freed in team-a or its share grows. "
    "[QuotaExhausted]"
)


@pytest.fixture
async def double(tmp_path: Path, capsys: Screen) -> AsyncIterator[Live]:
    """Two pods of a Deployment wait in team-a; its quota publishes an estimate."""
    stored = Stored()
    stored.grown_tree(20)
    team = stored.quota("team-a", 4, 6)
    for number in range(2):
        stored.runs(f"web-{number}", 1, metadata=owned())
    stored.waits("web-2", 1, metadata=owned(), status=conditions(WAITS))
    other = WAITS.replace("Position 2", "Position 3")
    stored.waits("web-3", 1, metadata=owned(), status=conditions(other))
    stored.waits("secret-job", 1, namespace="team-b", status=conditions("secret"))
    status = {key: {"cpu": "6"} for key in ("used", "admitted", "request", "runtime")}
    team["status"] = status | {"tree": "pool", "parent": "pool"}
    team["status"]["waitEstimate"] = {
        "observedTime": "2026-11-25T12:00:00Z",
        "message": "12 pods ended in the last hour",
        "positions": [
            {"position": 1, "lowSeconds": 60, "highSeconds": 120},
            {"position": 2, "lowSeconds": 600, "highSeconds": 2400},
        ],
    }
    async with Live(tmp_path, capsys) as double:
        explain_fixture.fill(double, stored.documents)
        yield double


def owned(revision: str = "5d9") -> Document:
    """As of a Deployment web, whose pods of one revision have a ReplicaSet."""
    name = f"web-{revision}"
    reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name, "uid": name}
    return {
        "labels": {"pod-template-hash": revision},
        "ownerReferences": [{**reference, "controller": True}],
    }


def conditions(message: str) -> Document:
    condition = {"type": "PodScheduled", "status": "False", "message": message}
    return {"phase": "Pending", "conditions": [condition]}


async def test_in_a_cluster_the_controllers_words_and_estimate_are_shown(double: Live) -> None:
    assert await double.run("why", "deploy/web", "-n", "team-a", "-o", "json") == 0
    found = read(double.screen)
    assert found.answer.summary == "Deployment team-a/web: 2 of 4 pods wait for quota team-a."
    assert (found.pod.name, found.pod.message) == ("web-2", WAITS)
    assert (found.pod.line, found.pod.reason) == (report.QueuePlace(2, 3), "QuotaExhausted")
    assert found.pod.expected == report.Expected(
        "10 to 40 min", "2026-11-25T12:00:00Z", "12 pods ended in the last hour"
    )


async def test_waiting_alone_is_no_advice_for_a_rollout_in_a_full_quota(double: Live) -> None:
    for name in ("web-2", "web-3"):
        double.edit(paths.PODS, "team-a", name, lambda pod: pod["metadata"].update(owned("7f8")))
    for form in ("text", "json"):
        assert await double.run("why", "deploy/web", "-n", "team-a", "-o", form) == 0
        shown = double.said().out
        assert "maxUnavailable: 1 in its strategy lets the rollout go on" in shown
        assert "nothing else is needed" not in shown
    assert await double.run("why", "pod/web-2", "-n", "team-a") == 0
    assert "maxUnavailable" not in double.said().out


async def test_a_label_that_names_a_quota_without_pods_is_to_be_dropped(double: Live) -> None:
    said = WAITS.replace("QuotaExhausted", "QuotaNotAccepted")

    def mislabelled(pod: Document) -> None:
        pod["metadata"]["labels"] |= {f"{PREFIX}name": "pool"}
        pod["status"] = conditions(said)

    double.edit(paths.PODS, "team-a", "web-2", mislabelled)
    assert await double.run("why", "pod/web-2", "-n", "team-a") == 0
    shown = double.said().out.splitlines()
    assert shown[shown.index("You can") + 1 :] == [
        f"  - remove its label {PREFIX}name; then it belongs to quota team-a"
    ]


async def test_a_message_that_another_user_wrote_does_not_command_the_terminal(
    double: Live,
) -> None:
    status = conditions("gone \x1b[2J\x1b]0;title\x07\nWhy   all is well")
    for name in ("web-2", "web-3"):
        double.edit(paths.PODS, "team-a", name, lambda pod: pod.update(status=status))
    assert await double.run("why", "deploy/web", "-n", "team-a") == 0
    shown = double.said().out
    assert " gone ?[2J?]0;title??Why   all is well\n" in shown
    assert "\x1b" not in shown


async def test_only_one_namespace_is_read_where_more_is_forbidden(double: Live) -> None:
    refusal = Refusal(403, "Forbidden", "no")
    double.faults.answer(refusal, times=9, method="GET", path=paths.QUOTAS.list())
    assert await double.run("why", "deploy/web", "-n", "team-a") == 0
    shown = double.said()
    assert "secret" not in shown.out + shown.err
    assert {call.path for call in double.calls} == {
        paths.PODS.list("team-a"),
        paths.QUOTAS.list(),
        paths.QUOTAS.list("team-a"),
    }


async def test_the_text_reads_only_what_is_published_also_for_who_may_read_everything(
    double: Live,
) -> None:
    assert await double.run("why", "deploy/web", "-n", "team-a") == 0
    assert [call.path for call in double.calls] == [paths.QUOTAS.list(), paths.PODS.list("team-a")]
    assert await double.run("why", "deploy/web", "-n", "team-a", "-o", "json") == 0
    assert paths.NODES.list() in {call.path for call in double.calls}


def says(double: ApiDouble, reason: str) -> None:
    """Let the controller have written this reason to both waiting pods."""
    status = conditions(WAITS.replace("QuotaExhausted", reason))
    for name in ("web-2", "web-3"):
        double.edit(paths.PODS, "team-a", name, lambda pod: pod.update(status=status))


@pytest.mark.parametrize(("reason", "noted"), [("QuotaExhausted", 0), ("AncestorExhausted", 1)])
async def test_a_quota_above_that_may_not_be_read_is_noted_if_the_pod_waits_for_one(
    reason: str, noted: int, double: Live
) -> None:
    says(double, reason)
    refusal = Refusal(403, "Forbidden", "no")
    double.faults.answer(refusal, times=9, method="GET", path=paths.QUOTAS.list())
    assert await double.run("why", "deploy/web", "-n", "team-a") == 0
    note = "note: pool, the parent of team-a, is where you may not read"
    assert double.said().err.splitlines() == [note] * noted


async def test_wide_notes_what_the_sums_lack_where_quotas_above_may_not_be_read(
    double: Live,
) -> None:
    says(double, "QuotaExhausted")
    refusal = Refusal(403, "Forbidden", "no")
    double.faults.answer(refusal, times=9, method="GET", path=paths.QUOTAS.list())
    assert await double.run("why", "deploy/web", "-n", "team-a", "-o", "wide") == 0
    shown = double.said()
    assert "note: pool, the parent of team-a, is where you may not read\n" in shown.err
    _, _, sums = shown.out.partition("PATH TO THE ROOT\n")
    rows = [line.split()[0] for line in sums.splitlines()]
    assert rows[0] == "QUOTA"
    assert set(rows[1:]) == {"team-a"}


async def test_a_user_without_any_right_gets_one_line(double: Live) -> None:
    refusal = Refusal(403, "Forbidden", "no")
    double.faults.answer(refusal, times=9, method="GET", path=paths.PODS.list("team-a"))
    assert await double.run("why", "web", "-n", "team-a") == 1
    assert double.said().err == ("elastic-quota: you may not list the pods of namespace team-a\n")


def owner(api_version: str, kind: str, name: str) -> Document:
    reference = {"apiVersion": api_version, "kind": kind, "name": name, "uid": f"{kind}-{name}"}
    return {**reference, "controller": True}


def made_by(double: ApiDouble, resource: paths.Resource, name: str, above: Document) -> Document:
    """Store an owner in team-a that ``above`` controls; returns the reference to it."""
    kind = {"jobs": "Job", "jobsets": "JobSet"}[resource.plural]
    meta = {"namespace": "team-a", "name": name, "ownerReferences": [above]}
    stored = double.put(resource, {"metadata": meta})
    return {**owner(resource.api_version, kind, name), "uid": stored["metadata"]["uid"]}


JOBS = paths.Resource("batch", "v1", "jobs")
JOB_SETS = paths.Resource("jobset.x-k8s.io", "v1alpha2", "jobsets")
ROWS = [
    ("cronjob/nightly", "CronJob team-a/nightly: 1 of 1 pod waits for quota team-a."),
    ("cj/nightly", "CronJob team-a/nightly: 1 of 1 pod waits for quota team-a."),
    ("nightly", "CronJob team-a/nightly: 1 of 1 pod waits for quota team-a."),
    ("job/nightly-1", "Job team-a/nightly-1: 1 of 1 pod waits for quota team-a."),
    ("jobset/train", "JobSet team-a/train: 1 of 1 pod waits for quota team-a."),
    ("jobsets.jobset.x-k8s.io/train", "JobSet team-a/train: 1 of 1 pod waits for quota team-a."),
    ("rayjob/tune", "RayJob team-a/tune: 1 of 1 pod waits for quota team-a."),
]


@pytest.fixture
def chains(double: Live) -> Live:
    """A CronJob and a JobSet above Jobs, and a RayJob above a JobSet above a Job."""
    double.serve(Kind(JOBS, "Job"))
    double.serve(Kind(JOB_SETS, "JobSet"))
    nightly = made_by(double, JOBS, "nightly-1", owner("batch/v1", "CronJob", "nightly"))
    top = made_by(double, JOBS, "train-0", owner("jobset.x-k8s.io/v1alpha2", "JobSet", "train"))
    inner = made_by(double, JOB_SETS, "inner", owner("ray.io/v1", "RayJob", "tune"))
    tune = made_by(double, JOBS, "inner-0", inner)
    for name, reference in (("n", nightly), ("t", top), ("r", tune)):
        meta = {"namespace": "team-a", "name": name, "ownerReferences": [reference]}
        gated = {"schedulingGates": [{"name": names.GATE}], "containers": []}
        double.put(paths.PODS, {"metadata": meta, "spec": gated, "status": conditions(WAITS)})
    return double


@pytest.mark.parametrize(("word", "summary"), ROWS)
async def test_pods_are_found_through_all_owners_above_them(
    word: str, summary: str, chains: Live
) -> None:
    assert await chains.run("why", word, "-n", "team-a") == 0
    assert chains.said().out.splitlines()[0] == summary


async def test_owners_are_listed_by_their_metadata_once_for_each_kind(chains: Live) -> None:
    assert await chains.run("why", "rayjob/tune", "-n", "team-a") == 0
    of_jobs = [call for call in chains.calls if call.path == JOBS.list("team-a")]
    assert len(of_jobs) == 1


async def test_where_owners_may_not_be_listed_the_nearest_one_is_known(chains: Live) -> None:
    refusal = Refusal(403, "Forbidden", "no")
    chains.faults.answer(refusal, times=9, method="GET", path=JOBS.list("team-a"))
    assert await chains.run("why", "job/nightly-1", "-n", "team-a") == 0
    chains.said()
    assert await chains.run("why", "cronjob/nightly", "-n", "team-a") == 1
    assert chains.said().err.splitlines() == [
        "elastic-quota: no pod of namespace team-a belongs to cronjob nightly",
        "elastic-quota: if it exists, kubectl describe cronjob says why it has no pods",
    ]


def queued(double: ApiDouble, phase: str) -> None:
    """A JobSet and a PyTorchJob of the name train are queued as a whole, without a pod."""
    double.serve(Kind(paths.QUEUE_UNITS, "QueueUnit"))
    for kind, cpu in (("JobSet", "3"), ("PyTorchJob", "5")):
        spec = {
            "consumerRef": {"kind": kind, "name": "train"},
            "queue": "team-a",
            "resource": {"cpu": cpu, "memory": "1Gi"},
        }
        said = WAITS.replace("needs 1 cpu", f"{kind} team-a/train needs {cpu} cpu")
        meta = {"namespace": "team-a", "name": f"train-{kind.lower()}-qu"}
        status = {"phase": phase, "message": said}
        double.put(paths.QUEUE_UNITS, {"metadata": meta, "spec": spec, "status": status})


@pytest.mark.parametrize("word", ["jobset/train", "jobset/team-a/train"])
async def test_a_job_that_waits_as_a_whole_is_answered_by_its_queue_unit(
    word: str, double: Live
) -> None:
    queued(double, "Enqueued")
    assert await double.run("why", word, "-n", "team-a", "-o", "json") == 0
    found = read(double.screen)
    assert found.answer.summary == (
        "JobSet team-a/train waits as a whole for quota team-a; it has no pods yet."
    )
    assert (found.pod.kind, found.pod.quota, found.pods.total) == ("JobSet", "team-a", 0)
    assert found.pod.request == {"cpu": "3", "memory": "1Gi"}
    assert (found.pod.line, found.pod.reason) == (report.QueuePlace(2, 3), "QuotaExhausted")
    assert "JobSet team-a/train needs 3 cpu" in found.pod.message
    assert found.pod.can_do == advice.of(waits_for("QuotaExhausted"))


async def test_the_text_about_a_job_that_waits_as_a_whole_says_why_and_what_to_do(
    double: Live,
) -> None:
    queued(double, "Enqueued")
    assert await double.run("why", "pytorchjob/train", "-n", "team-a") == 0
    shown = double.said().out.splitlines()
    assert shown[2] == "First      train, position 2 of 3"
    assert "  - wait: nothing else is needed" in shown


async def test_of_two_jobs_of_one_name_the_kind_is_asked_for(double: Live) -> None:
    queued(double, "Enqueued")
    assert await double.run("why", "train", "-n", "team-a") == 1
    assert double.said().err == (
        "elastic-quota: several workloads of namespace team-a have this name: jobset/train or "
        "pytorchjob/train\n"
    )


async def test_a_job_that_has_started_or_may_not_be_read_is_no_queued_one(double: Live) -> None:
    absent = "elastic-quota: no pod of namespace team-a belongs to jobset train"
    queued(double, "Running")
    assert await double.run("why", "jobset/train", "-n", "team-a") == 1
    assert double.said().err.splitlines()[0] == absent
    queued(double, "Enqueued")
    refusal = Refusal(403, "Forbidden", "no")
    double.faults.answer(refusal, method="GET", path=paths.QUEUE_UNITS.list("team-a"))
    assert await double.run("why", "jobset/train", "-n", "team-a") == 1
    assert double.said().err.splitlines()[0] == absent


def test_the_kinds_are_those_of_the_events_on_owners() -> None:
    known = owners.names().values()
    assert {each.kind.lower() for each in kinds.table(table.table())} == set(known)
