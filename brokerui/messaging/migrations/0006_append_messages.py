"""A function of PostgreSQL that adds messages to a conversation in one statement, if it is as the caller remembers it.

`AppendedMessages` in `routing/dialog/appended_messages.py` says the same of a row in Python, and the conformance of
stores compares them. Its statements see the rows that other processes have committed until each of them begins: so the locks come first.
The plans stand for any number of rows, like those of all claims.
"""

from django.db import migrations

FUNCTION = """
CREATE FUNCTION brokerui_append_messages(
    for_instance int4, as_known int8, as_version int8, handle text, conversation text, as_state text, first int8,
    as_group text, as_far_broker text, as_kept_route text, as_kept_identifier text, as_kept_database text,
    as_integrity int4, as_key bytea, ready int8, attempt int8, send_window int4, at int8, types text[], bodies bytea[],
    OUT have_left boolean, OUT acknowledged int8, OUT integrity int4, OUT key_id bytea, OUT fragment_bytes int4
) RETURNS SETOF record LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
DECLARE
    how_many int4 := cardinality(types);
    e record;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(1, for_instance);
    PERFORM 1 FROM hosted_instances WHERE id = for_instance AND known = as_known AND as_version = coalesce((
        SELECT version.number FROM estate_live live JOIN estate_version version ON version.id = live.version_id), 0);
    IF NOT FOUND THEN RETURN; END IF;
    IF NOT pg_try_advisory_xact_lock(hashtextextended(as_group, for_instance::int8 * 2 + 1)) THEN
        RETURN;
    END IF;
    IF NOT pg_try_advisory_xact_lock(hashtextextended(conversation, for_instance::int8 * 2)) THEN
        RETURN;
    END IF;
    SELECT * INTO e FROM conversation_endpoints AS row WHERE row.instance_id = for_instance
        AND row.conversation_handle = handle AND row.state = as_state AND row.send_sequence = first
        AND row.conversation_group_id = as_group
        AND row.far_broker_instance IS NOT DISTINCT FROM as_far_broker
        AND row.kept_route IS NOT DISTINCT FROM as_kept_route
        AND row.kept_identifier IS NOT DISTINCT FROM as_kept_identifier
        AND row.kept_database IS NOT DISTINCT FROM as_kept_database;
    IF NOT FOUND THEN RETURN; END IF;
    have_left := attempt IS NOT NULL AND e.sending_sequence = first AND e.ready_since IS NULL
        AND e.transmission_status = 0 AND e.transmitted - e.acknowledged_sequence + how_many <= send_window
        AND e.integrity = as_integrity AND e.key_id = as_key;
    IF have_left THEN
        e.sending_sequence := first + how_many;
        e.transmitted := first + how_many;
        e.next_attempt := coalesce(e.next_attempt, attempt);
    ELSIF e.outgoing = 0 THEN
        e.ready_since := ready;
    ELSIF e.transmission_status = 0 AND e.transmitted - e.acknowledged_sequence < send_window THEN
        e.ready_since := coalesce(e.ready_since, ready);
    END IF;
    UPDATE conversation_endpoints AS row SET
        send_sequence = first + how_many, outgoing = e.outgoing + how_many, sending_sequence = e.sending_sequence,
        transmitted = e.transmitted, next_attempt = e.next_attempt, ready_since = e.ready_since,
        due = least(e.due, e.next_attempt, e.ready_since)
    WHERE row.instance_id = for_instance AND row.conversation_handle = handle;
    INSERT INTO transmission_queue (instance_id, conversation_handle, message_sequence_number, message_type_name,
        message_body, enqueue_time, is_end_of_dialog, is_conversation_error)
    SELECT for_instance, handle, first + message.place - 1, message.type, message.body, at, false, false
    FROM unnest(types, bodies) WITH ORDINALITY AS message(type, body, place);
    acknowledged := e.acknowledged_sequence;
    integrity := e.integrity;
    key_id := e.key_id;
    fragment_bytes := e.fragment_bytes;
    RETURN NEXT;
END $$
"""


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(FUNCTION)


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP FUNCTION brokerui_append_messages")


class Migration(migrations.Migration):
    dependencies = [("messaging", "0005_retained_messages")]

    operations = [migrations.RunPython(create, drop)]
