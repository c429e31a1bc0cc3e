"""A round that waits names the missing worker and the commands that mend it: on its page, in REST and in `status`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from redis import Redis

from brokerui.analysis.traffic import waiting_rounds
from brokerui.analysis.traffic.models import Round, RoundState
from brokerui.analysis.traffic.rounds import round_ask, round_ask_generated
from brokerui.analysis.traffic.waiting_rounds import (
    INSTALL,
    LATE,
    START,
    START_ALL,
    WaitCause,
    round_wait,
    worker_missing,
)
from brokerui.api import rounds as rounds_of_rest
from brokerui.core import tasks
from brokerui.core.conditions import conditions
from brokerui.core.heartbeat import heartbeat_of_pipeline_send, heartbeat_send, heartbeats
from brokerui.core.jobs import tasks as job_tasks
from brokerui.core.jobs.models import Job, JobState
from brokerui.core.jobs.tasks import jobs_run_pipeline
from brokerui.core.redis_keys import PULSE, PULSE_OF_PIPELINE, PULSE_SINCE
from tests.brokerui.messaging.endpoint.conftest import one_valkey, valkey
from tests.brokerui.messaging.endpoint.valkey import Valkey

__all__ = ["one_valkey", "valkey"]
pytestmark = pytest.mark.django_db
LONG_AGO = timedelta(minutes=30)
NO_WORKER = "No worker serves the queue"


@pytest.fixture
def redis(valkey: Valkey, settings: Any, tmp_path: Any) -> Iterator[Redis]:
    """The Redis of the product, without any heartbeat; and a folder of traffic."""
    settings.REDIS_URL, settings.EVENT_LOG, settings.TRAFFIC_FOLDER = valkey.url, False, str(tmp_path)
    with valkey.client() as client:
        yield client
        client.flushdb()


@pytest.fixture
def without_pipeline(redis: Redis) -> Redis:
    """Beat and the other workers have been at work for long, and the pipeline has none."""
    heartbeat_send()
    redis.set(PULSE_SINCE, (datetime.now(UTC) - LONG_AGO).isoformat(), ex=60)
    return redis


def cause_of(found: Round) -> WaitCause | None:
    wait = round_wait(found)
    return wait and wait.cause


def test_without_a_worker_of_the_pipeline_the_round_says_which_process_to_start(without_pipeline: Redis) -> None:
    found = round_wait(round_ask(author="ann"))
    assert found is not None
    assert (found.cause, found.commands[-1]) == (WaitCause.PIPELINE, START)
    assert str(found.sentence).startswith(NO_WORKER)


def test_without_spark_it_says_how_to_install_it(without_pipeline: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_rounds, "find_spec", lambda _name: None)
    found = worker_missing()
    assert found is not None
    assert found.commands == (INSTALL, START)


def test_a_worker_that_was_there_is_named_by_the_moment_it_was_last_seen(without_pipeline: Redis) -> None:
    before = datetime.now(UTC) - LONG_AGO
    without_pipeline.set(PULSE_OF_PIPELINE, before.isoformat())
    assert f"{before:%Y-%m-%dT%H:%M:%S}" in str(worker_missing().sentence)  # type: ignore[union-attr]
    heartbeat_of_pipeline_send()
    assert worker_missing() is None


def test_workers_that_have_just_started_are_given_time(redis: Redis) -> None:
    heartbeat_send()
    assert worker_missing() is None
    assert cause_of(round_ask(author="ann")) is None


def test_without_any_worker_or_redis_the_round_says_that(redis: Redis, settings: Any) -> None:
    found = round_ask(author="ann")
    wait = round_wait(found)
    assert wait is not None
    assert (wait.cause, wait.commands) == (WaitCause.WORKERS, START_ALL)
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert cause_of(found) == WaitCause.REDIS
    assert worker_missing() is None


def test_a_round_that_waits_for_long_beside_a_worker_is_told(redis: Redis) -> None:
    heartbeat_send()
    heartbeat_of_pipeline_send()
    found = round_ask(author="ann")
    assert cause_of(found) is None
    found.asked_at -= LATE + timedelta(seconds=1)
    assert cause_of(found) is None, "its job is due since now"
    assert found.job is not None
    found.job.due_at = found.asked_at
    assert cause_of(found) == WaitCause.NOT_STARTED


def test_a_round_under_way_or_over_waits_for_nothing(without_pipeline: Redis) -> None:
    found = round_ask(author="ann")
    Job.objects.update(state=JobState.RUNNING, lapses_at=timezone.now() + LONG_AGO)
    for state in (RoundState.RUNNING, RoundState.DONE):
        Round.objects.update(state=state)
        assert cause_of(Round.objects.get(pk=found.pk)) is None


def test_a_round_whose_worker_is_lost_waits_for_another(without_pipeline: Redis) -> None:
    found = round_ask(author="ann")
    Round.objects.update(state=RoundState.RUNNING)
    Job.objects.update(state=JobState.RUNNING, lapses_at=timezone.now() - LONG_AGO)
    assert cause_of(Round.objects.get(pk=found.pk)) == WaitCause.PIPELINE


# -- Where it is told -------------------------------------------------------------------------------------------


def test_the_pages_say_it_before_a_round_is_begun_and_while_it_waits(operator: Client, without_pipeline: Redis) -> None:
    assert NO_WORKER in operator.get("/traffic/").content.decode()
    found = round_ask(author="ann")
    for address in ("/traffic/", f"/traffic/rounds/{found.pk}/"):
        text = operator.get(address).content.decode()
        assert text.count(NO_WORKER) == 1
        assert text.count(START) == 1
        assert f"Cancel round {found.pk}" in text
    heartbeat_of_pipeline_send()
    assert NO_WORKER not in operator.get("/traffic/").content.decode()


def test_rest_says_it_and_cancels_the_round(operator: Client, viewer: Client, without_pipeline: Redis) -> None:
    found = round_ask_generated(author="ann")
    (row,) = viewer.get("/api/v1/rounds/").json()["results"]
    assert (row["state"], row["is_generated"], row["requested_by"]) == ("waiting", True, "ann")
    assert row["waits_for"]["cause"] == "pipeline"
    assert row["waits_for"]["commands"][-1] == START
    address = f"/api/v1/rounds/{found.pk}/"
    read = viewer.get(address)
    assert read.json() == row
    assert viewer.get(address, headers={"If-None-Match": read.headers["ETag"]}).status_code == 304
    assert operator.delete(address).status_code == 428
    match = {"If-Match": read.headers["ETag"]}
    assert viewer.delete(address, headers=match).status_code == 403
    assert operator.delete(address, headers=match).status_code == 204
    ended = operator.get(address)
    assert (ended.json()["state"], ended.json()["cancelled_by"]) == ("cancelled", "operator")
    assert ended.json()["waits_for"] is None
    again = operator.delete(address, headers={"If-Match": ended.headers["ETag"]})
    assert (again.status_code, again.json()["detail"]) == (409, "The round is over.")
    assert operator.get("/api/v1/rounds/999999/").status_code == 404


def test_rest_starts_a_round_for_an_operator_and_one_at_a_time(
    operator: Client, viewer: Client, without_pipeline: Redis, settings: Any
) -> None:
    def post(client: Client, **body: bool) -> Any:
        return client.post("/api/v1/rounds/", body, content_type="application/json")

    assert post(viewer).status_code == 403
    made = post(operator)
    assert (made.status_code, made.json()["state"], made.json()["is_generated"]) == (201, "waiting", False)
    assert (made.json()["requested_by"], made.json()["waits_for"]["cause"]) == ("operator", "pipeline")
    read = operator.get(made.headers["Location"])
    assert (read.json(), read.headers["ETag"]) == (made.json(), made.headers["ETag"])
    again = post(operator, is_generated=True)
    assert again.status_code == 409
    assert again.json()["detail"].startswith(f"Round {made.json()['id']} of the pipeline waits or runs already")
    assert operator.delete(made.headers["Location"], headers={"If-Match": made.headers["ETag"]}).status_code == 204
    settings.TRAFFIC_FOLDER = ""
    assert (post(operator).status_code, post(operator, is_generated=True).status_code) == (409, 409)
    assert operator.post("/api/v1/rounds/", {"other": 1}, content_type="application/json").status_code == 422
    assert Round.objects.count() == 1


def test_rest_starts_a_round_of_generated_traffic(
    operator: Client, without_pipeline: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds_of_rest, "can_generate", lambda: True)
    made = operator.post("/api/v1/rounds/", {"is_generated": True}, content_type="application/json")
    assert (made.status_code, made.json()["is_generated"]) == (201, True)


def test_rest_gives_rounds_in_pages_the_newest_first(viewer: Client, redis: Redis) -> None:
    at = timezone.now()
    made = [Round.objects.create(asked_at=at, asked_by="ann", state=RoundState.DONE).pk for _ in range(3)]
    first = viewer.get("/api/v1/rounds/?limit=2").json()
    second = viewer.get(first["next"]).json()
    assert [row["id"] for row in (*first["results"], *second["results"])] == made[::-1]
    assert second["next"] is None


def test_the_check_of_status_says_it_with_its_remedy(without_pipeline: Redis) -> None:
    assert [one.id for one in conditions()] == []
    found = round_ask(author="ann")
    (one,) = conditions()
    assert (one.id, one.is_well) == ("brokerui.W014", False)
    assert one.text.startswith(f"Round {found.pk} of the pipeline waits. {NO_WORKER}")
    assert one.text.endswith(START)
    without_pipeline.delete(PULSE)
    assert [one.id for one in conditions()] == [], "before the start of the product everything waits"


# -- Heartbeats -------------------------------------------------------------------------------------------------


def test_a_worker_asks_the_pipeline_for_one_heartbeat_at_a_time(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "wake", lambda task: redis.rpush("pipeline", task.name))
    for _ in range(3):
        tasks.heartbeat()
    assert redis.lrange("pipeline", 0, -1) == [b"brokerui.core.tasks.pulse_of_pipeline"]
    redis.delete("pipeline")
    tasks.heartbeat_of_pipeline()
    assert heartbeats().of_pipeline is not None
    tasks.heartbeat()
    assert redis.llen("pipeline") == 1


@pytest.mark.parametrize("queues", [("maintenance", "transmit"), ("pipeline",)])
def test_a_worker_that_starts_wakes_the_queues_that_it_serves_alone(
    monkeypatch: pytest.MonkeyPatch, queues: tuple[str, ...]
) -> None:
    woken: list[str] = []
    monkeypatch.setattr(job_tasks, "wake_queue", woken.append)
    app = SimpleNamespace(amqp=SimpleNamespace(queues=SimpleNamespace(consume_from=dict.fromkeys(queues))))
    job_tasks.look_at_start(SimpleNamespace(app=app))
    assert woken == [queues[0]]


def test_heartbeats_without_a_gap_keep_the_moment_they_began(redis: Redis) -> None:
    heartbeat_send()
    began = heartbeats().since
    heartbeat_send()
    assert heartbeats().since == began
    redis.delete(PULSE_SINCE)
    heartbeat_send()
    assert heartbeats().since != began


def test_a_worker_that_looks_for_rounds_sends_its_heartbeat(redis: Redis, settings: Any) -> None:
    jobs_run_pipeline()
    assert heartbeats().of_pipeline is not None
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    jobs_run_pipeline()
