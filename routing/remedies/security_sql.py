"""T-SQL for what keys, certificates and permissions hold: with every name that is known, and `<…>` for words that only
an administrator knows. No estate has certificates, so these statements cannot be tried."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from string import Template

from routing.common.names import SYSNAME_CHARS
from routing.lint.remedy import alter_endpoint, bracketed, quoted, use

MASTER = "master"
VALID_YEARS = 5
"""Years for which the certificate of a statement is valid."""
_LOGIN = re.compile(r"login ['\u2018\u2019\"]([^'\u2018\u2019\"\n]{1,128})['\u2018\u2019\"]", re.IGNORECASE)
_DATABASE = re.compile(
    r"in the database ['\u2018\u2019\"]([^'\u2018\u2019\"\n]{1,128})['\u2018\u2019\"]", re.IGNORECASE
)
_OF_DATES = re.compile(r"expired|not yet valid|not valid yet|\bdates?\b", re.IGNORECASE)
_BINDING = Template("""\
-- <FILE>: the public certificate of the user that owns the service on the other server, written there by
-- BACKUP CERTIFICATE. That server needs this side's certificate likewise, and GRANT SEND ON SERVICE to its user.
CREATE USER $user WITHOUT LOGIN;
CREATE CERTIFICATE $user AUTHORIZATION $user FROM FILE = N'<FILE>';
CREATE REMOTE SERVICE BINDING $binding TO SERVICE $service WITH USER = $user;""")
_CERTIFICATES = """\
-- Is a certificate missing, outside of its dates (UTC), or without a private key under the master key?
-- Does utc_now agree with the clock of the other server? Correct a wrong clock first: the certificate may be right.
SELECT SYSUTCDATETIME() AS utc_now, USER_NAME(principal_id) AS owner, name, start_date, expiry_date,
    pvt_key_encryption_type_desc
  FROM sys.certificates ORDER BY owner, expiry_date;"""
_NEW_CERTIFICATE = Template("""\
-- A new one for the owner of the service; the other server gets its public part, <FILE>.
DECLARE @owner sysname =
  (SELECT USER_NAME(principal_id) FROM sys.services WHERE name = $service);
DECLARE @make nvarchar(max) = N'CREATE CERTIFICATE ' + $text + N' AUTHORIZATION ' +
  QUOTENAME(@owner) + N' WITH SUBJECT = N''Service Broker dialogs'', START_DATE = N''$begin'',
    EXPIRY_DATE = N''${year}0101'';';
EXEC (@make);
BACKUP CERTIFICATE $name TO FILE = N'<FILE>';""")
_UNPROTECTED = """\
-- Run what this prints, with the password of the private key.
SELECT N'ALTER CERTIFICATE ' + QUOTENAME(name) +
    N' WITH PRIVATE KEY (DECRYPTION BY PASSWORD = ''<PASSWORD>'');'
  FROM sys.certificates WHERE pvt_key_encryption_type = 'PW';"""
_ACTIVE = """\
DECLARE @change nvarchar(max) = N'';
SELECT @change += N'ALTER CERTIFICATE ' + QUOTENAME(name) + N' WITH ACTIVE FOR BEGIN_DIALOG = ON;'
  FROM sys.certificates WHERE is_active_for_begin_dialog = 0 AND pvt_key_encryption_type <> 'NA';
EXEC (@change);"""
_MASTER_KEY = """\
IF EXISTS (SELECT * FROM sys.symmetric_keys WHERE symmetric_key_id = 101)
BEGIN
  OPEN MASTER KEY DECRYPTION BY PASSWORD = N'<PASSWORD>';
  ALTER MASTER KEY ADD ENCRYPTION BY SERVICE MASTER KEY;
END
ELSE
  CREATE MASTER KEY ENCRYPTION BY PASSWORD = N'<PASSWORD>';"""
_LOST_USERS = Template("""\
-- These stay without their user. For each that is given up: END CONVERSATION … WITH CLEANUP.
SELECT conversation_handle, state_desc FROM sys.conversation_endpoints WHERE far_service = $service;""")
_CONNECT = Template("""\
DECLARE @grant nvarchar(max) =
  (SELECT N'GRANT CONNECT ON ENDPOINT::' + QUOTENAME(name) + N' TO ' + $login FROM sys.service_broker_endpoints);
EXEC (@grant);""")
_PEER = Template("""\
-- <FILE>: the public certificate of the other server's endpoint, written there by BACKUP CERTIFICATE.
CREATE LOGIN $name WITH PASSWORD = N'<PASSWORD>';
CREATE USER $name FOR LOGIN $name;
CREATE CERTIFICATE $name AUTHORIZATION $name FROM FILE = N'<FILE>';""")
_ENDPOINT = Template("""\
IF NOT EXISTS (SELECT * FROM sys.symmetric_keys WHERE symmetric_key_id = 101)
  CREATE MASTER KEY ENCRYPTION BY PASSWORD = N'<PASSWORD>';
CREATE CERTIFICATE $name WITH SUBJECT = N'Service Broker endpoint', START_DATE = N'$begin',
  EXPIRY_DATE = N'${year}0101';
$alter
-- The other servers get its public part, <FILE>.
BACKUP CERTIFICATE $name TO FILE = N'<FILE>';""")
_DATES = """\
-- Does utc_now agree with the clock of the other server, and is it between both dates? Correct a wrong clock first:
-- then the certificate is right, and the rest is not needed.
SELECT SYSUTCDATETIME() AS utc_now, c.name, c.start_date, c.expiry_date FROM sys.service_broker_endpoints AS e
  JOIN sys.certificates AS c ON c.certificate_id = e.certificate_id;"""
_COMPARED = """\
-- Run it on both servers, and align what differs by ALTER ENDPOINT … FOR SERVICE_BROKER (…).
SELECT name, state_desc, connection_auth_desc, is_encryption_enabled, encryption_algorithm_desc
  FROM sys.service_broker_endpoints;"""
_LISTENING = """\
-- Is it STARTED, and is its port that of the route's address? Without a row, no endpoint is there.
SELECT e.name, e.state_desc, t.port, t.ip_address FROM sys.service_broker_endpoints AS e
  JOIN sys.tcp_endpoints AS t ON t.endpoint_id = e.endpoint_id;"""


def remote_service_binding(database: str, service: str) -> str:
    """A binding for the target service, with a user that owns the target's public certificate."""
    names = {"user": _name("Owner of ", service), "binding": _name("To ", service), "service": quoted(service)}
    return use(database, (_BINDING.substitute(names),))


def certificate_of_owner(database: str, service: str | None, at: datetime) -> str:
    """The certificates that are there, and a new one for the user that owns the sending service."""
    if service is None:
        return use(database, (_CERTIFICATES,))
    year = at.year + VALID_YEARS
    name = _name("Dialogs of ", service, f" until {year}")
    new = _NEW_CERTIFICATE.substitute(
        service=quoted(service), name=name, text=quoted(name), begin=_begin(at), year=year
    )
    return use(database, (_CERTIFICATES, new))


def unprotected_key(database: str) -> str:
    """Prints the statements that put private keys under the master key."""
    return use(database, (_UNPROTECTED,))


def active_certificates(database: str) -> str:
    """Switches all certificates of a database with a private key on for new dialogs."""
    return use(database, (_ACTIVE,))


def master_key(database: str) -> str:
    """A master key that the server can open."""
    return use(database, (_MASTER_KEY,))


def master_key_database(text: str) -> str | None:
    """The database whose master key a status names."""
    found = _DATABASE.search(text)
    return found[1] if found else None


def lost_users(database: str, service: str) -> str:
    """The conversations that a dropped user has left, to be ended by hand."""
    return use(database, (_LOST_USERS.substitute(service=quoted(service)),))


def connect_permission(text: str) -> str:
    """The login that a status names may connect to the endpoint."""
    found = _LOGIN.search(text)
    login = bracketed(found[1] if found else "<DOMAIN\\ACCOUNT$>")
    first = f"-- Without a login of that name: CREATE LOGIN {login} FROM WINDOWS;"
    return use(MASTER, (first, _CONNECT.substitute(login=quoted(login))))


def certificate_of_peer(peer: str) -> str:
    """The current certificate of another server's endpoint, with a login that may connect."""
    name = _name("Broker of ", peer)
    return use(MASTER, (_PEER.substitute(name=name), _CONNECT.substitute(login=quoted(name))))


def certificate_of_endpoint(at: datetime) -> str:
    """A certificate for the instance's own endpoint."""
    return use(MASTER, (_new_certificate(at),))


def dated_certificate_of_endpoint(at: datetime) -> str:
    """The clock beside the dates of the endpoint's certificate, and a new one for where the dates are over."""
    return use(MASTER, (_DATES, _new_certificate(at)))


def is_of_dates(text: str) -> bool:
    """Whether a status says that a certificate is not valid now."""
    return _OF_DATES.search(text) is not None


def _new_certificate(at: datetime) -> str:
    year = at.year + VALID_YEARS
    name = bracketed(f"Service Broker endpoint until {year}")
    alter = alter_endpoint(f"FOR SERVICE_BROKER (AUTHENTICATION = CERTIFICATE {name})")
    return _ENDPOINT.substitute(name=name, begin=_begin(at), year=year, alter=alter)


def _begin(at: datetime) -> str:
    """The day before: a server whose clock is a little slow takes the certificate too."""
    return f"{at - timedelta(days=1):%Y%m%d}"


def compared_endpoints() -> str:
    """Return the query for the options on which both servers of a connection have to agree."""
    return use(MASTER, (_COMPARED,))


def listening_endpoint() -> str:
    """Return the query for the address at which an instance listens."""
    return use(MASTER, (_LISTENING,))


def _name(before: str, name: str, after: str = "") -> str:
    return bracketed(f"{before}{name[: SYSNAME_CHARS - len(before) - len(after)]}{after}")
