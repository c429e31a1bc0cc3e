"""T-SQL that ends the conversations that an application left over. Pure: it makes the text, for a person to run.

It takes only DI, conversations whose other side has ended, of the services that are named, older than a number of days,
and ends them as the application should have. It counts until `@run = 1`, may be stopped and run again, and leaves alone
each conversation with messages that nobody has read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from routing.lint.remedy import bracketed, qualified, quoted

BATCH: Final = 1_000
"""Conversations that are ended in one transaction."""
PAUSE_MS: Final = 250
"""Milliseconds between two transactions."""
GIVES_UP: Final = 100
"""Conversations that cannot be ended, after which the script stops."""
_BEGUN: Final = """\
CASE WHEN e.lifetime > DATEADD(year, 20, GETUTCDATE()) THEN DATEADD(second, -2147483647, e.lifetime)
         ELSE e.lifetime END"""
END_DIALOG: Final = "http://schemas.microsoft.com/SQL/ServiceBroker/EndDialog"
ERROR: Final = "http://schemas.microsoft.com/SQL/ServiceBroker/Error"


@dataclass(frozen=True, slots=True)
class LeftService:
    """A service whose conversations are to be ended."""

    name: str
    queue: str | None = None
    """`schema.name` of its queue; None: not known, and unread messages cannot be looked for."""


def clean_up_sql(database: str, services: Sequence[LeftService], days: int, batch: int = BATCH) -> str:
    """The script for these services of one database, for conversations that began more than `days` days ago."""
    taken = _taken(services)
    names = ", ".join(_in_comment(one.name) for one in services)
    return f"""\
-- Ends what {names} left over: state DI, begun more than {days} days ago. Nothing else.
-- @run = 0 only counts. It may be stopped at any time, and run again to go on.
USE {bracketed(database)};
SET NOCOUNT ON;
DECLARE @run bit = 0, @batch int = {batch}, @h uniqueidentifier;
DECLARE @take TABLE (h uniqueidentifier PRIMARY KEY), @left TABLE (h uniqueidentifier PRIMARY KEY);
DECLARE @before datetime = DATEADD(day, -{days}, GETUTCDATE());

IF @run = 0
  SELECT COUNT_BIG(*) AS would_end
{taken};

WHILE @run = 1 AND (SELECT COUNT(*) FROM @left) < {GIVES_UP}
BEGIN
  DELETE FROM @take;
  INSERT INTO @take (h)
  SELECT TOP (@batch) e.conversation_handle
{taken}
    AND NOT EXISTS (SELECT * FROM @left AS l WHERE l.h = e.conversation_handle);
  IF @@ROWCOUNT = 0 BREAK;
  BEGIN TRANSACTION;
  WHILE EXISTS (SELECT * FROM @take)
  BEGIN
    SELECT TOP (1) @h = h FROM @take;
    BEGIN TRY
      END CONVERSATION @h;    -- without CLEANUP: the other side has ended already
    END TRY
    BEGIN CATCH               -- an application has ended it meanwhile, or this login must not
      IF XACT_STATE() = -1 ROLLBACK;
      INSERT INTO @left (h) VALUES (@h);
    END CATCH;
    DELETE FROM @take WHERE h = @h;
  END;
  IF @@TRANCOUNT > 0 COMMIT;
  WAITFOR DELAY '00:00:00.{PAUSE_MS}';
END;
IF @run = 1
  SELECT COUNT(*) AS could_not_be_ended FROM @left;
"""  # noqa: S608 - a script for a person to run, whose names are quoted; nothing here runs it


def ending_sql() -> str:
    """The lines that the reader of a queue lacks: where it has received a message, with its type and its handle."""
    return f"""\
IF @message_type_name IN ({quoted(END_DIALOG)},
                          {quoted(ERROR)})
  END CONVERSATION @conversation_handle;
"""


def lifetime_sql(service: str, far_service: str | None, seconds: int) -> str:
    """BEGIN DIALOG with a lifetime, as the initiator should have it."""
    return f"""\
BEGIN DIALOG @handle
  FROM SERVICE {bracketed(service)}
  TO SERVICE {_literal(far_service or "…")}
  WITH LIFETIME = {seconds};
"""


def _taken(services: Sequence[LeftService]) -> str:
    names = ", ".join(quoted(one.name) for one in services)
    unread = "".join(
        f"\n    AND NOT EXISTS (SELECT * FROM {qualified(queue)} AS q WITH (NOLOCK)\n     "  # noqa: S608 - as above
        f" WHERE q.conversation_handle = e.conversation_handle)"
        for queue in dict.fromkeys(one.queue for one in services if one.queue is not None)
    )
    return f"""\
  FROM sys.conversation_endpoints AS e JOIN sys.services AS s ON s.service_id = e.service_id
  WHERE s.name IN ({names}) AND e.state = 'DI'
    AND {_BEGUN} < @before{unread}"""


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _in_comment(name: str) -> str:
    """The name on one line: a break would end the comment."""
    return "".join(letter if letter.isprintable() else " " for letter in name)
