"""Error logs and event sessions: their errors are counted, and no text takes long."""

from __future__ import annotations

from contextlib import suppress

import pytest

from routing.catalog.broker_log import ERROR_LOG, EVENT_SESSION, BrokerEvent, read_broker_log
from routing.common.errors import InputError

MASTER_KEY = "Service Broker needs to access the master key in the database 'Orders'. Error code:32."
LOG = f"""\
2026-11-24 08:37:12.45 spid28s     Error: 28054, Severity: 11, State: 1.
2026-11-24 08:37:12.45 spid28s     {MASTER_KEY}
2026-11-24 08:37:13.00 Logon       Error: 18456, Severity: 14, State: 8.
2026-11-24 08:37:13.00 Logon       Login failed for user 'x'.
2026-11-24 09:37:12.45 spid28s     Error: 28054, Severity: 11, State: 1.
2026-11-24 09:37:12.45 spid28s     {MASTER_KEY}
"""
KEY = BrokerEvent(ERROR_LOG, 28054, "", MASTER_KEY, 2, "2026-11-24 08:37:12.45", "2026-11-24 09:37:12.45")
EVENT = (
    '<event name="broker_transmission_exception" package="sqlserver" timestamp="2026-11-24T08:00:00Z">'
    '<data name="error_number"><value>28054</value></data>'
    '<data name="message"><value>The master key &amp; more</value></data></event>'
)


@pytest.mark.parametrize(
    "text",
    [
        LOG,
        LOG.replace("\n", "\r\n"),
        "\ufeffLogDate\tProcessInfo\tText\n"
        + LOG.replace(" spid28s     ", "\tspid28s\t").replace(" Logon       ", "\tLogon\t"),
        '"LogDate","ProcessInfo","Text"\n'
        + "".join(f'"{line[:22]}","{line[23:35].strip()}","{line[35:].strip()}"\n' for line in LOG.splitlines()),
        LOG.replace("Error: 28054, Severity: 11, State: 1.", "Fehler: 28054, Schweregrad: 11, Status: 1."),
    ],
    ids=["file", "windows", "xp_readerrorlog", "csv", "german"],
)
def test_the_errors_of_an_error_log_are_counted(text: str) -> None:
    assert read_broker_log(text, where="log") == (KEY,)


def test_the_events_of_a_session_are_counted() -> None:
    other = '<event name="sql_batch_completed" timestamp="x"><data name="duration"><value>3</value></data></event>'
    moment = "2026-11-24T08:00:00Z"
    expected = BrokerEvent(
        EVENT_SESSION, 28054, "broker_transmission_exception", "The master key & more", 2, moment, moment
    )
    assert read_broker_log(EVENT + other + "\n" + EVENT, where="events") == (expected,)
    heads = "name\ttimestamp\terror_number\tmessage\n"
    grid = heads + f"broker_transmission_exception\t{moment}\t28054\tThe master key & more\n"
    assert read_broker_log(grid + grid.removeprefix(heads), where="events") == (expected,)


def test_a_log_without_errors_of_service_broker_is_empty_and_no_log_is_none() -> None:
    assert read_broker_log(LOG.replace("28054", "17806"), where="log") == ()
    assert read_broker_log("SELECT 1", where="log") is None


@pytest.mark.parametrize(
    ("text", "place"),
    [(f"{EVENT}\n<event name='x'>", "line 2"), ("name,timestamp\nbroker_x,now,3\n", "line 2")],
)
def test_one_clear_error_says_where(text: str, place: str) -> None:
    with pytest.raises(InputError) as error:
        read_broker_log(text, where="events")
    assert error.value.path == place


@pytest.mark.parametrize("text", ["<event x", "<event >", "<event ><data >", "2026-11-24 08:37:12 s x\0\n"])
def test_ten_megabytes_are_read_in_one_pass(text: str) -> None:
    """A search that begins anew at each sign would take hours."""
    with suppress(InputError):
        assert read_broker_log(text * (10 * 2**20 // len(text)), where="events") in ((), None)
