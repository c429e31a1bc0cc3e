"""Doing jobs."""

from __future__ import annotations

import logging

from brokerui.core.jobs import endings
from brokerui.core.jobs.claims import claim_next, claim_one
from brokerui.core.jobs.errors import JobCancelledError, JobFailedError, JobInterruptedError, JobLostError
from brokerui.core.jobs.kinds import kind_of, names_on
from brokerui.core.jobs.models import Job
from brokerui.core.jobs.work import JobWork

logger = logging.getLogger(__name__)


def run_next(queue: str) -> bool:
    """Do the job of a queue that is due longest; False if there is none."""
    job = claim_next(names_on(queue))
    if job is None:
        return False
    _attempt(job)
    return True


def run_now(job: Job) -> bool:
    """Do this job in this process; False if a worker has it, or it is not due."""
    claimed = claim_one(job.pk)
    if claimed is None:
        return False
    _attempt(claimed)
    return True


def _attempt(job: Job) -> None:
    kind = kind_of(job.kind)
    work = JobWork(job, kind.lapse_s)
    try:
        with work.beating():
            kind.run(work)
    except JobLostError:
        logger.warning("%s was taken over by another worker, or ended", job)
    except JobCancelledError:
        endings.cancelled(job)
    except JobInterruptedError:
        endings.interrupted(job)
    except JobFailedError as error:
        endings.fail(job, error)
    except Exception as error:
        logger.exception("attempt %s of %s failed", job.attempts, job)
        endings.fail_or_retry(job, error)
    else:
        endings.succeed(job)
