"""A function of PostgreSQL that adds messages to a conversation in one statement, if it is as the caller remembers it.

`AppendedMessages` in `routing/dialog/appended_messages.py` says the same of a row in Python, and the conformance of
stores compares them. Its statements see what others have committed until each of them begins: so the locks come first.
The plans stand for any number of rows, like those of all claims.
"""

from django.db import migrations

FUNCTION = """
CREATE FUNCTION brokerui_append_messages(
    for_instance int4, as_known int8, as_version int8, handle text, conversation text, as_state text, first int8,
    as_group text, as_far_broker text, as_kept_route text, as_kept_identifier text, as_kept_database text,
    ready int8, send_window int4, at int8, types text[], bodies bytea[]
) RETURNS boolean LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $$
DECLARE
    how_many int4 := cardinality(types);
BEGIN
    PERFORM pg_advisory_xact_lock_shared(1, for_instance);
    PERFORM 1 FROM hosted_instances WHERE id = for_instance AND known = as_known AND as_version = coalesce((
        SELECT version.number FROM estate_live live JOIN estate_version version ON version.id = live.version_id), 0);
    IF NOT FOUND THEN RETURN false; END IF;
    IF NOT pg_try_advisory_xact_lock(hashtextextended(as_group, for_instance::int8 * 2 + 1)) THEN
        RETURN false;
    END IF;
    IF NOT pg_try_advisory_xact_lock(hashtextextended(conversation, for_instance::int8 * 2)) THEN
        RETURN false;
    END IF;
    UPDATE conversation_endpoints AS e SET
        send_sequence = e.send_sequence + how_many,
        outgoing = e.outgoing + how_many,
        ready_since = CASE
            WHEN e.outgoing = 0 THEN ready
            WHEN e.transmission_status = 0 AND e.transmitted - e.acknowledged_sequence < send_window
                THEN coalesce(e.ready_since, ready)
            ELSE e.ready_since END,
        due = least(e.due, CASE
            WHEN e.outgoing = 0 THEN ready
            WHEN e.transmission_status = 0 AND e.transmitted - e.acknowledged_sequence < send_window
                THEN coalesce(e.ready_since, ready) END)
    WHERE e.instance_id = for_instance AND e.conversation_handle = handle AND e.state = as_state
        AND e.send_sequence = first AND e.conversation_group_id = as_group
        AND e.far_broker_instance IS NOT DISTINCT FROM as_far_broker
        AND e.kept_route IS NOT DISTINCT FROM as_kept_route
        AND e.kept_identifier IS NOT DISTINCT FROM as_kept_identifier
        AND e.kept_database IS NOT DISTINCT FROM as_kept_database;
    IF NOT FOUND THEN RETURN false; END IF;
    INSERT INTO transmission_queue (instance_id, conversation_handle, message_sequence_number, message_type_name,
        message_body, enqueue_time, is_end_of_dialog, is_conversation_error)
    SELECT for_instance, handle, first + message.place - 1, message.type, message.body, at, false, false
    FROM unnest(types, bodies) WITH ORDINALITY AS message(type, body, place);
    RETURN true;
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
