"""While more is admitted than is carried out at a time, other writes give way to it."""

from elasticquota.jobs.phase import JobPhase
from elasticquota.model.decision import Decisions, Release
from elasticquota.model.key import Key
from elasticquota_operator.context import backlog
from elasticquota_operator.jobs import suspender
from elasticquota_operator.jobs.controller import JobController
from elasticquota_operator.jobs.ordering import JobOrdering
from elasticquota_operator.jobs.suspender import Turn
from elasticquota_operator.workqueue import workers
from elasticquota_operator.writers import annotation_writer
from elasticquota_operator.writers.annotation_writer import AnnotationWriter
from elasticquota_operator.writers.status_writer import StatusWriter
from elasticquota_operator.writers.ungater import Ungater
from writer_fixture import Scene


def released(pods: dict[Key, str]) -> Decisions:
    releases = tuple(Release(key, uid, "team-a", 0, "admitted") for key, uid in pods.items())
    return Decisions(releases=releases)


async def test_more_pods_than_are_released_at_a_time_are_many(scene: Scene) -> None:
    pods = {Key("team", f"p{n}"): scene.pod(f"p{n}") for n in range(backlog.RELEASING)}
    ungater = Ungater(scene.context())
    ungater.apply(released(pods))
    assert not scene.backlog.admitting_many()
    ungater.apply(released({Key("team", "one-more"): scene.pod("one-more")}))
    assert scene.backlog.admitting_many()


async def test_more_jobs_than_are_started_at_a_time_are_many(scene: Scene) -> None:
    context = scene.context()
    jobs = JobController(context, JobOrdering(context))
    for number in range(suspender.STARTING + 1):
        assert not scene.backlog.admitting_many()
        key = Key("teams", f"job.batch/j{number}")
        jobs._turns.put(key, Turn("uid", key, JobPhase("Dequeued"), False, "QuotaAdmitted", ""))
    assert scene.backlog.admitting_many()


async def test_annotations_give_way_to_statuses_and_are_one_a_second_while_many_are_admitted(
    scene: Scene,
) -> None:
    context = scene.context()
    statuses = StatusWriter(context)
    annotations = AnnotationWriter(context, statuses)
    assert (annotations._yields(), annotations._pause()) == (False, workers.PAUSE)
    statuses._writes.put(("ElasticQuota", Key("team", "a")), None)  # type: ignore[arg-type]
    assert (annotations._yields(), annotations._pause()) == (True, workers.PAUSE)
    pods = {Key("team", f"p{n}"): scene.pod(f"p{n}") for n in range(backlog.RELEASING + 1)}
    Ungater(context).apply(released(pods))
    assert (annotations._yields(), annotations._pause()) == (True, annotation_writer.PAUSE)
