"""The function that adds messages to a conversation, with one statement for the conversation and one for its messages.

It has the signature, the outcome and the locks of the function of `0006_append_messages`, so that processes of the
version before call it during an upgrade. What starts a statement in PostgreSQL costs more than what it does: so locks
are taken by expressions, and what the caller remembers is checked by the UPDATE that adds to it. As before, the locks
come first, because a statement sees the rows that others have committed until it begins.
"""

from importlib import import_module

from django.db import migrations

FORMER = import_module("brokerui.messaging.migrations.0006_append_messages").FUNCTION
_REMEMBERED = """
        row.instance_id = for_instance AND row.conversation_handle = handle AND row.state = as_state
        AND row.send_sequence = first AND row.conversation_group_id = as_group
        AND row.far_broker_instance IS NOT DISTINCT FROM as_far_broker
        AND row.kept_route IS NOT DISTINCT FROM as_kept_route
        AND row.kept_identifier IS NOT DISTINCT FROM as_kept_identifier
        AND row.kept_database IS NOT DISTINCT FROM as_kept_database
        AND as_known = (SELECT known FROM hosted_instances WHERE id = for_instance)
        AND as_version = coalesce((
            SELECT number FROM estate_version WHERE id = (SELECT version_id FROM estate_live WHERE id = 1)), 0)"""
"""All that the caller decided from is still so."""
_READY = """CASE
            WHEN row.outgoing = 0 THEN ready
            WHEN row.transmission_status = 0 AND row.transmitted - row.acknowledged_sequence < send_window
            THEN coalesce(row.ready_since, ready)
            ELSE row.ready_since END"""
_OUTCOME = """row.acknowledged_sequence, row.integrity, row.key_id, row.fragment_bytes
        INTO have_left, acknowledged, integrity, key_id, fragment_bytes;"""
_QUEUED = """INSERT INTO transmission_queue (instance_id, conversation_handle, message_sequence_number,
            message_type_name, message_body, enqueue_time, is_end_of_dialog, is_conversation_error)"""
FUNCTION = f"""
CREATE OR REPLACE FUNCTION brokerui_append_messages(
    for_instance int4, as_known int8, as_version int8, handle text, conversation text, as_state text, first int8,
    as_group text, as_far_broker text, as_kept_route text, as_kept_identifier text, as_kept_database text,
    as_integrity int4, as_key bytea, ready int8, attempt int8, send_window int4, at int8, types text[], bodies bytea[],
    OUT have_left boolean, OUT acknowledged int8, OUT integrity int4, OUT key_id bytea, OUT fragment_bytes int4
) RETURNS SETOF record LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
DECLARE
    how_many int4 := cardinality(types);
BEGIN
    -- OR asks from left to right: a lock is asked for if those before it are held. The first one waits, and is not NULL.
    IF pg_advisory_xact_lock_shared(1, for_instance) IS NULL
        OR NOT pg_try_advisory_xact_lock(hashtextextended(as_group, for_instance::int8 * 2 + 1))
        OR NOT pg_try_advisory_xact_lock(hashtextextended(conversation, for_instance::int8 * 2))
    THEN RETURN; END IF;
    -- It is their turn, and they leave.
    IF attempt IS NOT NULL THEN
        UPDATE conversation_endpoints AS row SET
            send_sequence = first + how_many, sending_sequence = first + how_many, transmitted = first + how_many,
            outgoing = row.outgoing + how_many, next_attempt = coalesce(row.next_attempt, attempt),
            due = least(row.due, coalesce(row.next_attempt, attempt))
        WHERE {_REMEMBERED}
        AND row.sending_sequence = first AND row.ready_since IS NULL AND row.transmission_status = 0
        AND row.transmitted - row.acknowledged_sequence + how_many <= send_window
        AND row.integrity = as_integrity AND row.key_id = as_key
        RETURNING true, {_OUTCOME}
    END IF;
    -- Else a worker sends them.
    IF have_left IS NULL THEN
        UPDATE conversation_endpoints AS row SET
            send_sequence = first + how_many, outgoing = row.outgoing + how_many, ready_since = {_READY},
            due = least(row.due, row.next_attempt, {_READY})
        WHERE {_REMEMBERED}
        RETURNING false, {_OUTCOME}
    END IF;
    IF have_left IS NULL THEN RETURN; END IF;
    IF how_many = 1 THEN
        {_QUEUED}
        VALUES (for_instance, handle, first, types[1], bodies[1], at, false, false);
    ELSE
        {_QUEUED}
        SELECT for_instance, handle, first + message.place - 1, message.type, message.body, at, false, false
        FROM unnest(types, bodies) WITH ORDINALITY AS message(type, body, place);
    END IF;
    RETURN NEXT;
END $$
"""  # noqa: S608 - built of texts of this module alone


def replace(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(FUNCTION)


def restore(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(FORMER.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION", 1))


class Migration(migrations.Migration):
    dependencies = [("messaging", "0006_append_messages")]

    operations = [migrations.RunPython(replace, restore)]
