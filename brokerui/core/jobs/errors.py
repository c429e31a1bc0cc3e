"""Errors that end a job, or refuse a request about one."""

from __future__ import annotations


class JobError(Exception):
    """Base of the errors of this package."""


class JobLostError(JobError):
    """Another worker claimed the job, or it was ended: this worker must stop and write nothing."""


class JobCancelledError(JobError):
    """Somebody cancelled the job; its worker stops."""


class JobInterruptedError(JobError):
    """The worker is about to end; the job waits for another one."""


class JobFailedError(JobError):
    """The job cannot succeed: another attempt would fail with the same error."""


class JobStateError(JobError):
    """The job is not in a state in which that can be done."""

    def __init__(self, state: str) -> None:
        super().__init__(f"the job is {state}")
        self.state = state
