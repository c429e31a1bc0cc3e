"""Texts of transmission_status as SQL Server writes them, whole, cut off, in other languages and unknown ones."""

from __future__ import annotations

import pytest

from routing.dialog.problems import PROBLEMS
from routing.dialog.status_catalogue import BY_NUMBER, CATALOGUE
from routing.dialog.status_catalogue_network import SYSTEM_ERRORS
from routing.dialog.status_kind import StatusKind
from routing.dialog.status_texts import status_kind

TEXTS = {
    9617: 'The service queue "dbo.TargetQueue" is currently disabled.',
    9618: "The message cannot be sent because the service queue 'Q' associated with the dialog is "
    "currently disabled and retention is on.",
    9649: "A security (SSPI) error occurred when connecting to another service broker: 'x'. Check the Event Log.",
    9652: "Service Broker failed to retrieve the session key for encrypting a message.",
    9727: "Dialog security is not available for this conversation because there is no remote service "
    "binding for the target service.  Create a remote service binding, or specify ENCRYPTION = "
    "OFF in the BEGIN DIALOG statement.",
    9728: "Cannot find the security certificate because the lookup database principal ID (7) is not "
    "valid. The security principal may have been dropped after the conversation was created.",
    9730: "Cannot find the security certificate because the lookup database principal (Id: 7) does not "
    "correspond to a server principal. The security principal may have been dropped after the "
    "conversation was created.",
    9731: "Dialog security is unavailable for this conversation because there is no security "
    "certificate bound to the database principal (Id: 1). Either create a certificate for the "
    "principal, or specify ENCRYPTION = OFF.",
    9733: "There is no private key for the security certificate bound to database principal (Id: 1). "
    "The certificate may have been created or installed incorrectly.",
    9734: "The length of the private key for the security certificate bound to database principal (Id: "
    "1) is incompatible with the Windows cryptographic service provider.",
    9737: "The private key for the security certificate bound to the database principal (ID 1) is password protected.",
    9748: "The Service Broker protocol transport is not available.",
    9749: "Target queue is busy; message(s) queued for delivery.",
    9750: "No route matches the destination service name for this conversation. Create a route to the "
    "destination service name for messages in this conversation to be delivered.",
    9751: "Authentication failed with error: 'x'.",
    9752: "Service Broker connection was refused. The user account of the remote server is not "
    "permitted to log in to this SQL Server: User account: 'CORP\\A$', IP address: '10.0.0.1'.",
    9753: "The target service broker is unreachable.",
    9754: "Connection attempt failed with error: 'x'.",
    9755: "An error occurred while receiving data: 'x'.",
    9757: "Service Broker/Database Mirroring network protocol error occurred.",
    9758: "Login protocol negotiation error occurred.",
    9759: "An error occurred while sending data: 'x'.",
    9767: "The security certificate bound to database principal (Id: 1) has been disabled for use with BEGIN DIALOG.",
    9768: "A database user associated with the secure conversation was dropped before credentials had "
    "been exchanged with the far endpoint. Avoid using DROP USER while conversations are being "
    "created.",
    9770: "Locating routes and security information via the Broker Configuration Service.",
    9771: "The service broker manager is disabled in single-user mode.",
    9779: "Service Broker received an END CONVERSATION message on this conversation. Service Broker "
    "will not transmit the message; it will be held until the application ends the conversation.",
    9780: "The service broker manager is initializing.",
    9781: "The service broker manager is shutting down.",
    9783: "DNS lookup failed with error: 'x'.",
    9784: "Service Broker received an error message on this conversation. Service Broker will not "
    "transmit the message; it will be held until the application ends the conversation.",
    9785: "Invalid address specified: 'tcp://'.",
    9788: "Unable to route the incoming message. The system database msdb containing routing "
    "information is not available.",
    9790: "Unable to route the incoming message. The system database msdb containing routing "
    "information is in SINGLE USER mode.",
    9791: "The broker is disabled in the sender's database.",
    9792: "Could not forward the message because forwarding is disabled in this SQL Server instance.",
    9793: "The target service name could not be found. Ensure that the service name is specified "
    "correctly and/or the routing information has been supplied.",
    9794: "The broker mirroring manager has not fully initialized.",
    9795: "Could not find the target broker in the local SQL Server instance.",
    9796: "The target service name matched a LOCAL route, but there is no service by that name in the "
    "local SQL Server instance.",
    9797: "Classification has been delayed because the routing information is currently being updated.",
    11219: "This message could not be delivered because the destination queue has been disabled. Queue ID: 7.",
    15404: "An exception occurred while enqueueing a message in the target queue. Error: 15404, State: "
    "19. Could not obtain information about Windows NT group/user 'CORP\\dba', error code 0x5.",
    15517: "An exception occurred while enqueueing a message in the target queue. Error: 15517, State: "
    "1. Cannot execute as the database principal because the principal \u201cdbo\u201d does not exist.",
    15581: "An exception occurred while enqueueing a message in the target queue. Error: 15581, State: "
    "7. Please create a master key in the database or open the master key in the session before "
    "performing this operation.",
    33009: "An exception occurred while enqueueing a message in the target queue. Error: 33009, State: "
    "2. The database owner SID recorded in the master database differs from the database owner "
    "SID recorded in database 'D'.",
    916: "An exception occurred while enqueueing a message in the target queue. Error: 916, State: 3. "
    "The server principal 'a' is not able to access the database 'D' under the current security "
    "context.",
    28005: "An exception occurred while enqueueing a message in the target queue. Error: 701, State: 1. No memory.",
    28012: "The Service Broker in the target database is unavailable: 'something else'.",
    28013: "The Service Broker in the target database is unavailable: 'The service broker is "
    "administratively disabled.'.",
    28014: "The Service Broker in the target database is unavailable: 'The database is in read-only mode.'.",
    28015: "The Service Broker in the target database is unavailable: 'The database is in single-user mode.'.",
    28018: "The Service Broker in the target database is unavailable: 'The database is a replica of a "
    "mirrored database.'.",
    28021: "One or more messages could not be delivered to the local service targeted by this dialog.",
    28024: "The security certificate bound to database principal (Id: 1) is not yet valid. Either wait "
    "for the certificate to become valid or install a certificate that is currently valid.",
    28025: "The security certificate bound to database principal (Id: 1) has expired. Create or install a new one.",
    28027: "Connection handshake failed. There is no compatible authentication protocol. State 21.",
    28034: "Connection handshake failed. The login 'CORP\\SQL1$' does not have CONNECT permission on the "
    "endpoint. State 84.",
    28035: "Connection handshake failed. The certificate used by the peer is invalid due to the following reason: x.",
    28038: "Connection handshake failed. An OS call failed: (80090311) 0x80090311(No authority). State 67.",
    28050: "The session keys for this conversation could not be created or accessed. The database master"
    " key is required for this operation.",
    28051: "Could not save a dialog session key. A master key is required in the database to save the session key.",
    28054: "Service Broker needs to access the master key in the database 'Sales'. Error code:32. The "
    "master key has to exist and the service master key encryption is required.",
    28075: "The broker in the sender's database is in single user mode. Messages cannot be delivered while in it.",
}
CONNECT = "Connection attempt failed with error: '{}'."


@pytest.mark.parametrize("number", TEXTS)
def test_the_texts_of_the_product(number: int) -> None:
    kind = status_kind(TEXTS[number])
    assert kind is not None
    assert kind.number == number
    assert kind is status_kind(f"  {TEXTS[number].upper()}  "), "case and blanks do not count"


@pytest.mark.parametrize("number", [number for number in TEXTS if number not in (15404, 15517, 15581, 33009, 916)])
def test_a_text_that_a_grid_cut_off(number: int) -> None:
    kind, whole = status_kind(TEXTS[number][:256]), status_kind(TEXTS[number])
    assert kind is whole


@pytest.mark.parametrize(("length", "number"), [(60, 9727), (80, 28050), (150, 9779), (30, 9791)])
def test_a_text_that_breaks_off_in_its_sign(length: int, number: int) -> None:
    kind = status_kind(TEXTS[number][:length])
    assert kind is None or kind.code == BY_NUMBER[number].code


@pytest.mark.parametrize(
    ("error", "number"),
    [
        ("10061(No connection could be made because the target machine actively refused it.)", 10061),
        ("10060(A connection attempt failed because the connected party did not answer.)", 10060),
        ("11001(No such host is known.)", 11001),
        ("121(The semaphore timeout period has expired.)", 121),
        ("111(Connection refused)", 9754),
        ("x", 9754),
    ],
)
def test_the_number_of_the_system_tells_the_cause(error: str, number: int) -> None:
    kind = status_kind(CONNECT.format(error))
    assert kind is not None
    assert (kind.code, kind.number) == ("connection-failed", number)


def test_the_number_of_the_system_in_another_language() -> None:
    kind = status_kind("Fehler beim Verbindungsversuch: '10061(Es konnte keine Verbindung hergestellt werden.)'.")
    assert kind is not None
    assert kind.number == 10061


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "NULL",
        "Die Dialogsicherheit ist f\u00fcr diese Konversation nicht verf\u00fcgbar.",
        "Hallo (121)",
        "The",
        "x" * 4000,
        "\x00\ud800",
    ],
)
def test_what_is_not_in_the_catalogue(text: str) -> None:
    assert status_kind(text) is None


def test_statuses_of_this_product_are_the_same_catalogue() -> None:
    for number, kind in BY_NUMBER.items():
        assert status_kind(f"{number}: {kind.cause}") is not None
    assert status_kind("9754: 111(Connection refused)") is BY_NUMBER[9754]
    assert PROBLEMS[9791] is BY_NUMBER[9791].cause


@pytest.mark.parametrize("kind", [*CATALOGUE, *SYSTEM_ERRORS], ids=lambda kind: str(kind.number))
def test_an_entry_has_a_cause_and_a_next_step(kind: StatusKind) -> None:
    assert str(kind.cause).endswith(".")
    assert str(kind.next_step).endswith(".")
    assert all(sign == sign.lower() for sign in kind.signs)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Ausnahme beim Einreihen einer Nachricht in die Zielwarteschlange. Fehler: 15404, Status: 19.", 15404),
        ("Une exception s'est produite. Erreur : 15404, état : 19. Impossible d'obtenir des informations", 15404),
        ("メッセージをキューに登録中に例外が発生しました。エラー: 15404、状態: 19。", 15404),
        ("在目标队列中对消息进行排队时出现异常。错误: 15404\uff0c状态: 19。", 15404),
        ("Исключение при постановке сообщения в очередь. Ошибка: 15404, состояние: 19.", 15404),
        ("Meldung 9791, Ebene 16, Status 1: Der Broker ist deaktiviert.", 9791),
        ("Сообщение 9791, уровень 16", 9791),
    ],
)
def test_numbers_in_texts_of_other_languages(text: str, number: int) -> None:
    kind = status_kind(text)
    assert kind is not None
    assert kind.number == number


@pytest.mark.parametrize(
    "text",
    [
        "Der Zielhost meldet: 4022, Port: 1",
        "Fehler: 15404",
        "Version 9791.2, Build: 3",
        "2024: 954, 5: 6 Zeilen",
        "954",
    ],
)
def test_numbers_that_tell_nothing(text: str) -> None:
    assert status_kind(text) is None
