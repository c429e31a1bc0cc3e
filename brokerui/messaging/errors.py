"""Errors of verbs beside the refusals of the product (`routing.dialog.problems.VerbError`)."""

from __future__ import annotations

from routing.common.sentence import Sentence, say


class MessagingError(Exception):
    """Nothing was done; `problem` says why."""

    number = 0
    """The product's, where it has one for the same thing."""

    def __init__(self, problem: Sentence) -> None:
        super().__init__(str(problem))
        self.problem = problem


class NotHostedError(MessagingError):
    """There is no such instance, or this deployment does not run it."""

    def __init__(self, instance: str) -> None:
        super().__init__(say('The instance "{instance}" is not hosted here.', instance=instance))
        self.instance = instance


class NoSuchDatabaseError(MessagingError):
    """The instance has no such database."""

    number = 911

    def __init__(self, instance: str, database: str) -> None:
        super().__init__(say('"{instance}" has no database "{database}".', instance=instance, database=database))


class NoSuchQueueError(MessagingError):
    """The database has no such queue."""

    number = 208

    def __init__(self, database: str, queue: str) -> None:
        super().__init__(say('The database "{database}" has no queue "{queue}".', database=database, queue=queue))


class PartnerElsewhereError(MessagingError):
    """The contents of a mirrored database cannot move to a partner that another deployment hosts."""

    def __init__(self, partner: str, database: str) -> None:
        problem = say(
            'The partner of "{database}" is "{partner}", which is not hosted here: no failover between deployments.',
            database=database,
            partner=partner,
        )
        super().__init__(problem)


class BusyError(MessagingError):
    """Another transaction holds the conversation or its group; it is worth another try."""

    number = 1222

    def __init__(self) -> None:
        super().__init__(say("Another transaction holds the conversation or its group."))


class WriteLockHeldError(MessagingError):
    """A receive would wait in a transaction that has written, and on SQLite no other transaction could write then."""

    def __init__(self) -> None:
        problem = say(
            "On SQLite a transaction that has written cannot wait for messages, because nobody else could send any:"
            " commit before this receive, or receive without waiting."
        )
        super().__init__(problem)
