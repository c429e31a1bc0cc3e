"""Transmission statuses of dialog security, and of targets that cannot put messages into their queue."""

from __future__ import annotations

from routing.common.sentence import say
from routing.dialog.status_kind import DIALOG_SECURITY, NOT_ENQUEUED, StatusKind

_MASTER_KEY = say(
    "In the sender's database: CREATE MASTER KEY, or for one that is there OPEN MASTER KEY and ALTER MASTER KEY ADD"
    " ENCRYPTION BY SERVICE MASTER KEY, as after a restore on another server. Or begin dialogs with ENCRYPTION = OFF."
)
_OPEN_KEY = say(
    "In that database: CREATE MASTER KEY, or for one that is there OPEN MASTER KEY and ALTER MASTER KEY ADD ENCRYPTION"
    " BY SERVICE MASTER KEY, as after a restore on another server."
)
_CERTIFICATE = say(
    "In the sender's database: a certificate with a private key, owned by the user that owns the sending service, and"
    " the target's certificate owned by the user of the remote service binding, both within their dates (UTC)."
)
_OWNER = say(
    "In the target's database: ALTER AUTHORIZATION ON DATABASE::… TO [sa], or to another login that is there; see"
    " suser_sname(owner_sid) in sys.databases."
)

DIALOGS = (
    StatusKind(
        9727,
        DIALOG_SECURITY,
        say("The dialog is encrypted, and its database has no key for the other one: no remote service binding."),
        say(
            "In the sender's database: CREATE REMOTE SERVICE BINDING … TO SERVICE '…' WITH USER = …, with the target's"
            " certificate; or begin new dialogs with ENCRYPTION = OFF: this one stays as it was begun."
        ),
        ("no remote service binding for the target service",),
    ),
    StatusKind(
        9731,
        DIALOG_SECURITY,
        say("The dialog is encrypted, and the user that must identify itself has no certificate."),
        _CERTIFICATE,
        ("no security certificate bound to the database principal",),
    ),
    StatusKind(
        9733,
        DIALOG_SECURITY,
        say("The certificate of dialog security has no private key."),
        _CERTIFICATE,
        ("no private key for the security certificate bound to",),
    ),
    StatusKind(
        9737,
        DIALOG_SECURITY,
        say("The private key of the certificate is protected by a password, which Service Broker does not know."),
        say("ALTER CERTIFICATE … WITH PRIVATE KEY (DECRYPTION BY PASSWORD = '…'): the master key protects it then."),
        ("private key", "is password protected"),
    ),
    StatusKind(
        9734,
        DIALOG_SECURITY,
        say("The key of the certificate has a length that Windows cannot use."),
        _CERTIFICATE,
        ("key for the security certificate bound to", "is incompatible with the windows"),
    ),
    StatusKind(
        9728,
        DIALOG_SECURITY,
        say("A user of dialog security was dropped after the conversation began."),
        say("Create the user and its certificate again; END CONVERSATION … WITH CLEANUP for conversations of before."),
        ("lookup database principal id", "is not valid"),
    ),
    StatusKind(
        9730,
        DIALOG_SECURITY,
        say("A user of dialog security belongs to no login that the server knows."),
        say("Create the user and its certificate again; END CONVERSATION … WITH CLEANUP for conversations of before."),
        ("does not correspond to a server principal",),
    ),
    StatusKind(
        9767,
        DIALOG_SECURITY,
        say("The certificate is switched off for new dialogs."),
        say("ALTER CERTIFICATE … WITH ACTIVE FOR BEGIN_DIALOG = ON, in the sender's database."),
        ("has been disabled for use with begin dialog",),
    ),
    StatusKind(
        9768,
        DIALOG_SECURITY,
        say("A user of dialog security was dropped before both sides had exchanged keys."),
        say("Create the user and its certificate again; END CONVERSATION … WITH CLEANUP for conversations of before."),
        ("associated with the secure conversation was dropped",),
    ),
    StatusKind(
        28024,
        DIALOG_SECURITY,
        say("The certificate of dialog security is not valid yet."),
        say("Wait for its start date, which is UTC, or create one with START_DATE in the past, on both sides."),
        ("security certificate bound to database principal", "is not yet valid"),
    ),
    StatusKind(
        28025,
        DIALOG_SECURITY,
        say("The certificate of dialog security has expired."),
        say("Create a new one, give its public part to the other side, and let the user there own it."),
        ("security certificate bound to database principal", "has expired"),
    ),
    StatusKind(
        28050,
        DIALOG_SECURITY,
        say("The dialog is encrypted, and the database has no master key that the server can open."),
        _MASTER_KEY,
        ("session keys for this conversation could not be created or accessed",),
    ),
    StatusKind(
        28051,
        DIALOG_SECURITY,
        say("The session key of the dialog cannot be kept: the database has no master key."),
        _MASTER_KEY,
        ("could not save a dialog session key",),
    ),
    StatusKind(
        28054,
        DIALOG_SECURITY,
        say("Service Broker cannot open the master key of the database that the status names."),
        _OPEN_KEY,
        ("needs to access the master key in the database",),
    ),
    StatusKind(
        9652,
        DIALOG_SECURITY,
        say("The session key of the dialog cannot be read."),
        _MASTER_KEY,
        ("failed to retrieve the session key",),
    ),
)
ENQUEUEING = (
    StatusKind(
        15404,
        NOT_ENQUEUED,
        say("The target cannot act as the owner of its database: the domain does not answer for that Windows account."),
        _OWNER,
        ("could not obtain information about windows nt group/user",),
    ),
    StatusKind(
        15517,
        NOT_ENQUEUED,
        say("The target cannot act as the owner of its database: dbo belongs to no login here, as after a restore."),
        _OWNER,
        ("cannot execute as the database principal because the principal",),
    ),
    StatusKind(
        33009,
        NOT_ENQUEUED,
        say("The owner that the target's database knows is not the one that its server knows, as after a restore."),
        _OWNER,
        ("owner sid recorded in the master database differs",),
    ),
    StatusKind(
        15581,
        DIALOG_SECURITY,
        say("The target's database has no master key that its server can open."),
        _OPEN_KEY,
        ("create a master key in the database or open the master key",),
    ),
    StatusKind(
        916,
        NOT_ENQUEUED,
        say("The user that puts the message into the queue may not enter the target's database."),
        say(
            "Give the dialog a security that holds between the two databases: a remote service binding with"
            " certificates, or SEND on the target service for public; TRUSTWORTHY ON opens more than that."
        ),
        ("is not able to access the database", "under the current security context"),
    ),
    StatusKind(
        9002,
        NOT_ENQUEUED,
        say("The transaction log of the target's database is full."),
        say("See log_reuse_wait_desc in sys.databases, and make room: a log backup, or a larger file."),
        ("transaction log for database", "is full"),
    ),
    StatusKind(
        1105,
        NOT_ENQUEUED,
        say("The target's database has no space left in its files."),
        say("Enlarge a file of the file group that the status names, or let it grow."),
        ("could not allocate space for object",),
    ),
    StatusKind(
        3906,
        NOT_ENQUEUED,
        say("The target's database is read-only."),
        say("ALTER DATABASE … SET READ_WRITE, or a route to the copy that takes messages."),
        ("failed to update database", "because the database is read-only"),
    ),
    StatusKind(
        28005,
        NOT_ENQUEUED,
        say("The message arrived, and the target could not put it into its queue for the error that the status names."),
        say("Mend that error in the target's database; the server tries again by itself."),
        ("exception occurred while enqueueing a message in the target queue",),
    ),
)
"""Kinds by the error that the text encloses; the last one is the text itself."""
