"""Transmission statuses of endpoints, connections and their authentication."""

from __future__ import annotations

from routing.common.sentence import say
from routing.dialog.status_kind import (
    CONNECTION_FAILED,
    ENDPOINT_STOPPED,
    MESSAGES_WAIT,
    NO_ENDPOINT,
    TRANSPORT_SECURITY,
    StatusKind,
)

_ENDPOINT = say(
    "See name and state_desc in sys.service_broker_endpoints of this instance: without a row CREATE ENDPOINT … FOR"
    " SERVICE_BROKER, else ALTER ENDPOINT … STATE = STARTED; if it does not start, the error log says why."
)
_ADDRESS = say(
    "See that the address of the route names the target's host and the port of its Service Broker endpoint (not that"
    " for queries, 1433), that the endpoint is started and that the firewall lets the port through."
)
_CUT = say(
    "See the error log of the other instance at that time: a refused login, an endpoint of another kind at that port,"
    " or a firewall that cuts the connection. The server tries again by itself."
)
_ACCOUNTS = say(
    "Let both endpoints use the same kind of authentication. With Windows: the service account of each server has a"
    " login on the other one; with certificates: each server has the other one's certificate in master."
)
_CONNECT = say(
    "On the instance that refuses: GRANT CONNECT ON ENDPOINT::… TO the login that the status names; an account that"
    " has no login there yet needs CREATE LOGIN first."
)
_OWN_CERTIFICATE = say(
    "In master of this instance: a certificate with a private key under the master key and within its dates (UTC),"
    " named in ALTER ENDPOINT … FOR SERVICE_BROKER (AUTHENTICATION = CERTIFICATE …); the others get its public part."
)
_PEER_CERTIFICATE = say(
    "Put the current public certificate of the other server into master of the one that refuses, owned by the user of"
    " its login, and see that its dates (UTC) hold."
)

TRANSPORT = (
    StatusKind(
        28034,
        TRANSPORT_SECURITY,
        say(
            "The other instance refuses to connect: the login of this server has no CONNECT permission on its endpoint."
        ),
        _CONNECT,
        ("does not have connect permission on the endpoint",),
    ),
    StatusKind(
        9752,
        TRANSPORT_SECURITY,
        say("The other instance refuses to connect: the account of this server may not log in there."),
        _CONNECT,
        ("connection was refused. the user account of the remote server",),
    ),
    StatusKind(
        28035,
        TRANSPORT_SECURITY,
        say("The certificate of the other server is not accepted."),
        _PEER_CERTIFICATE,
        ("certificate used by the peer is invalid",),
    ),
    StatusKind(
        28045,
        TRANSPORT_SECURITY,
        say("The certificate of the other server is another one than that in master."),
        _PEER_CERTIFICATE,
        ("certificate used by the peer does not match",),
    ),
    StatusKind(
        28036,
        TRANSPORT_SECURITY,
        say("The certificate of the endpoint is not there."),
        _OWN_CERTIFICATE,
        ("certificate used by this endpoint was not found",),
    ),
    StatusKind(
        28037,
        TRANSPORT_SECURITY,
        say("The private key of the endpoint's certificate cannot be used."),
        _OWN_CERTIFICATE,
        ("initializing the private key corresponding to the certificate",),
    ),
    StatusKind(
        9762,
        TRANSPORT_SECURITY,
        say("The certificate of this server's endpoint is missing, not valid or without a private key."),
        _OWN_CERTIFICATE,
        ("looking up the public key certificate associated with this sql server",),
    ),
    StatusKind(
        28027,
        TRANSPORT_SECURITY,
        say("The two endpoints have no kind of authentication or encryption in common."),
        say("Compare AUTHENTICATION and ENCRYPTION of both endpoints in sys.service_broker_endpoints, and align them."),
        ("connection handshake failed. there is no compatible",),
    ),
    StatusKind(
        28038,
        TRANSPORT_SECURITY,
        say("The two servers do not accept each other's identity."),
        _ACCOUNTS,
        ("connection handshake failed",),
    ),
    StatusKind(
        9649,
        TRANSPORT_SECURITY,
        say("Windows authentication between the two servers failed."),
        _ACCOUNTS,
        ("security (sspi) error occurred when connecting",),
    ),
    StatusKind(
        9751, TRANSPORT_SECURITY, say("The next hop was not authenticated."), _ACCOUNTS, ("authentication failed",)
    ),
)
CONNECTIONS = (
    StatusKind(
        9748,
        NO_ENDPOINT,
        say("The instance has no Service Broker endpoint that runs: nothing leaves it over the network."),
        _ENDPOINT,
        ("protocol transport is not available",),
    ),
    StatusKind(
        9666,
        ENDPOINT_STOPPED,
        say("The Service Broker endpoint of the instance is stopped or disabled."),
        _ENDPOINT,
        ("endpoint is in disabled or stopped state",),
    ),
    StatusKind(
        9666,
        NO_ENDPOINT,
        say("The instance has no Service Broker endpoint, or one that is not started."),
        _ENDPOINT,
        ("transport is disabled or not configured",),
    ),
    StatusKind(
        9753,
        CONNECTION_FAILED,
        say("The target service broker cannot be reached; behind a mirrored route, no partner is the principal."),
        say(
            "See at both addresses of the mirrored route which database is the principal, and that its instance can be"
            " reached; for a route without a mirror, check its address and the endpoint there."
        ),
        ("target service broker is unreachable",),
    ),
    StatusKind(
        9783,
        CONNECTION_FAILED,
        say("The name of the next hop was not found."),
        say("Check the host name in the address of the route, and ask for it on this server: nslookup HOST."),
        ("dns lookup failed",),
    ),
    StatusKind(
        9785,
        CONNECTION_FAILED,
        say("The service name holds no address, as a TRANSPORT route needs."),
        say("Correct the address: TCP://HOST:PORT, in the route, or at the head of the service name behind TRANSPORT."),
        ("invalid address specified",),
    ),
    StatusKind(
        9754,
        CONNECTION_FAILED,
        say("The connection to the next hop failed."),
        _ADDRESS,
        ("connection attempt failed with error",),
    ),
    StatusKind(
        9755,
        CONNECTION_FAILED,
        say("The connection broke while this server received."),
        _CUT,
        ("error occurred while receiving data",),
    ),
    StatusKind(
        9759,
        CONNECTION_FAILED,
        say("The connection broke while this server sent."),
        _CUT,
        ("error occurred while sending data",),
    ),
    StatusKind(
        9757,
        CONNECTION_FAILED,
        say("What answers at that address does not speak the protocol of Service Broker."),
        _ADDRESS,
        ("network protocol error occurred",),
    ),
    StatusKind(
        9758,
        CONNECTION_FAILED,
        say("The next hop closed the connection before it could be used."),
        _CUT,
        ("login protocol negotiation error",),
    ),
    StatusKind(
        9756,
        CONNECTION_FAILED,
        say("An error inside of the server kept it from connecting to the next hop."),
        _CUT,
        ("internal exception occurred while connecting to an adjacent broker",),
    ),
    StatusKind(
        9736,
        MESSAGES_WAIT,
        say("Sending failed for the error that the status names."),
        say("Mend that error in the sender's database; the server tries again by itself."),
        ("error occurred in dialog transmission",),
    ),
    StatusKind(
        9782,
        MESSAGES_WAIT,
        say("Service Broker failed inside for the error that the status names."),
        say("Mend that error; the server's error log has more of it."),
        ("internal exception occurred while dispatching a message",),
    ),
)
_REFUSED = say("The host answers, and nobody listens at that port.")
_TIMED_OUT = say("No answer came from that address: the host is away, or a firewall drops the connection.")
_CLOSED = say("The other side, or a firewall between, closed the connection at once.")
_NO_HOST = say("The host name of the address is not known to this server.")
_NO_WAY = say("The network has no way to the host of that address.")
SYSTEM_ERRORS = tuple(
    StatusKind(number, CONNECTION_FAILED, cause, _CUT if cause is _CLOSED else _ADDRESS)
    for cause, numbers in (
        (_REFUSED, (10061, 1225)),
        (_TIMED_OUT, (10060, 121)),
        (_CLOSED, (10053, 10054)),
        (_NO_HOST, (11001, 11002, 11003, 11004)),
        (_NO_WAY, (10049, 10050, 10051, 10064, 10065, 1231)),
    )
    for number in numbers
)
"""Meaning of the operating system's number of a failed connection, which is the same in every language."""
