"""Faults that are put into the source on purpose, and the tests of `make test` that have to find each.

A fault is a piece of text that stands once in the source, and what it is replaced by. Tests are named by their
function, which stands once in `tests/` (or by `module::function`), so that both survive that files are moved.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Fault(NamedTuple):
    area: str
    what: str
    """What goes wrong with it."""
    text: str
    replacement: str
    tests: tuple[str, ...]
    """Tests, at least one of which has to fail."""
    on_postgresql: bool = False
    """Whether the tests run on PostgreSQL."""


STORE: Final = (
    Fault(
        "store",
        "statements of one way to the database leave one by one",
        "pipeline._communicate_gen = partial(_written, pipeline)",
        "_ = partial(_written, pipeline)",
        ("test_statements_wait_for_the_first_result_that_is_read",),
        on_postgresql=True,
    ),
    Fault(
        "store",
        "messages are added to a conversation in which another process has sent since",
        "AND row.conversation_handle = handle AND row.state = as_state AND row.send_sequence = first",
        "AND row.conversation_handle = handle AND row.state = as_state",
        ("test_what_another_process_has_sent_meanwhile_comes_first",),
        on_postgresql=True,
    ),
    Fault(
        "store",
        "messages are added to a conversation that a worker is sending",
        "IF NOT pg_try_advisory_xact_lock(hashtextextended(conversation, for_instance::int8 * 2)) THEN",
        "IF false THEN",
        ("test_a_conversation_that_a_worker_is_sending_is_left_to_it",),
        on_postgresql=True,
    ),
    Fault(
        "store",
        "a verb does not wait for a conversation that a worker holds, and asks again and again",
        "wanted = replace(wanted, wait_ms=int(patience * 1000))",
        "wanted = replace(wanted, wait_ms=0)",
        ("test_a_verb_waits_in_the_database",),
        on_postgresql=True,
    ),
    Fault(
        "store",
        "a worker that committed without waiting for the disk is not told that the server has lost it",
        "if changes.is_async_commit and self._losses is None:",
        "if False and changes.is_async_commit and self._losses is None:",
        ("test_who_had_not_hardened_it_is_told_that_it_may_be_lost",),
        on_postgresql=True,
    ),
    Fault(
        "store",
        "a forked process uses the connections of its parent",
        "if self._process != os.getpid():  # what a fork has copied belongs to its parent",
        "if False:  # what a fork has copied belongs to its parent",
        ("test_few_idle_connections_are_kept_and_none_of_a_parent",),
        on_postgresql=True,
    ),
    Fault(
        "store",
        "a connection that the server has closed is used again",
        "return not connection.closed and not select.select([connection.fileno()], [], [], 0)[0]",
        "return not connection.closed",
        ("test_idle_connections_that_the_server_has_ended_are_not_used",),
        on_postgresql=True,
    ),
    Fault(
        "store",
        "idle connections are kept without a limit",
        "elif len(self._idle) >= IDLE:",
        "elif False:",
        ("test_few_idle_connections_are_kept_and_none_of_a_parent",),
        on_postgresql=True,
    ),
    Fault(
        "store",
        "a store that hears of the loss goes on anyway",
        "if self._losses not in (None, session.losses):",
        "if False:",
        ("test_who_had_not_hardened_it_is_told_that_it_may_be_lost",),
        on_postgresql=True,
    ),
    Fault(
        "store",
        "a claim reads all large messages of a conversation",
        'if sum(len(row[3] or b"") for row in rows) >= BYTES_AT_ONCE:',
        "if False:",
        ("test_of_large_messages_a_claim_reads_not_much_more_than_a_batch_sends",),
    ),
    Fault(
        "store",
        "an instance that is not hosted has an estate of no version",
        'raise LookupError(f"no hosted instance {self.instance}")',
        "return None",
        ("test_an_instance_that_is_not_hosted_has_no_claims",),
    ),
    Fault(
        "store",
        "a row that is there already is an error of the database, not a conflict",
        'if getattr(error.__cause__, "sqlite_errorname", None) in _DUPLICATE:',
        "if False:",
        ("test_a_number_or_fragment_is_there_once", "test_a_conflict_leaves_the_caller_his_savepoint"),
    ),
    Fault(
        "store",
        "messages leave before those that wait",
        "have_left := attempt IS NOT NULL AND e.sending_sequence = first AND e.ready_since IS NULL",
        "have_left := attempt IS NOT NULL",
        ("test_messages_wait_behind_those_of_another_process",),
        on_postgresql=True,
    ),
    Fault(
        "store",
        "messages that have left are not sent again",
        "e.next_attempt := coalesce(e.next_attempt, attempt);",
        "e.next_attempt := e.next_attempt;",
        ("test_frames_that_are_lost_are_sent_again_by_a_worker",),
        on_postgresql=True,
    ),
    Fault(
        "store",
        "a conversation that is removed in its transaction is told to its peer",
        "if is_callers and work.changes.removed:",
        "if is_callers and work.changes.moved:",
        ("test_a_conversation_that_its_transaction_removes_tells_its_peer_nothing",),
        on_postgresql=True,
    ),
    Fault(
        "store",
        "frames leave although their messages wait",
        "self._outbound += work.outbound if outcome.have_left else ()",
        "self._outbound += work.outbound",
        ("test_no_more_leave_than_the_window_has_room_for",),
    ),
    Fault(
        "store",
        "a locked group is looked for again",
        "if request.group in locked:",
        "if request.group not in locked:",
        (
            "test_nobody_else_receives_from_the_group_however_he_asks",
            "test_a_group_that_was_emptied_before_it_was_locked_is_passed",
        ),
    ),
    Fault(
        "store",
        "a queue counts as emptied while messages are left in it, and its reader waits",
        "batch.is_rest_empty = in_queue == len(batch.received) <= FEW",
        "batch.is_rest_empty = True",
        ("test_where_messages_are_left_the_reader_asks_at_once",),
    ),
    Fault(
        "store",
        "a queue counts as emptied whose messages come back with a rollback",
        "transaction.on_commit(partial(emptied_queues.note, place))",
        "emptied_queues.note(place)",
        ("test_messages_that_are_rolled_back_are_found_at_once",),
    ),
    Fault(
        "store",
        "a queue counts as emptied after its reader has asked again",
        "at = _emptied().pop(place, None)",
        "at = _emptied().get(place)",
        ("test_who_asks_again_knows_no_more_of_the_queue",),
    ),
)
ENDPOINT: Final = (
    Fault(
        "endpoint",
        "frames of a shard are lost where another shard of the same batch holds foreign data",
        "  look(KEYS[i], KEYS[i + 1])\n",
        "",
        ("test_foreign_data_in_one_shard_costs_no_frames_of_others",),
    ),
    Fault(
        "endpoint",
        "a worker at work is not told of frames that arrive, and the endpoint does not wake one",
        "if has_begun and is_working then",
        "if false then",
        ("test_who_is_at_work_takes_frames_that_arrive_without_another_request",),
    ),
    Fault(
        "endpoint",
        "a worker that is not at work counts as told of frames that arrive",
        "redis.call('GET', KEYS[3]) == 'working' and",
        "redis.call('GET', KEYS[3]) and",
        ("test_only_a_worker_at_work_is_told_together_with_the_frames",),
    ),
    Fault(
        "endpoint",
        "a worker takes frames of a shard that another one is working on",
        "if not owners[i] or owners[i] == ARGV[2] then",
        "if true then",
        ("test_shards_are_one_workers_until_they_are_empty_or_left",),
    ),
    Fault(
        "endpoint",
        "a delayed acknowledgement takes the place of another endpoint's, whose messages are sent again",
        ".update({(frame.address, frame.receiver): frame for frame in kept})",
        ".update({(frame.address, None): frame for frame in kept})",
        ("test_those_of_several_turns_leave_together",),
    ),
    Fault(
        "endpoint",
        "a delayed acknowledgement stays though a later one of its endpoint has come, and the later one is lost",
        ".update({(frame.address, frame.receiver): frame for frame in kept})",
        ".update({(f.address, f.receiver): f for f in kept} | self._kept[broker])",
        ("test_a_later_acknowledgement_takes_the_place_of_the_earlier_one_of_its_endpoint",),
    ),
    Fault(
        "endpoint",
        "a script that Redis has forgotten is lost where nobody waits for its answer",
        "        self.settle()\n        if not self._is_usable():",
        "        if not self._is_usable():",
        ("test_a_posted_script_that_the_server_has_forgotten_runs_all_the_same",),
    ),
    Fault(
        "endpoint",
        "a forked process uses its parent's connection to Redis",
        "        if self._process != os.getpid():\n            self._connection, self._process",
        "        if not self._process:\n            self._connection, self._process",
        ("test_a_fork_has_a_connection_of_its_own",),
    ),
    Fault(
        "endpoint",
        "the answer of Redis to a cancelled command goes to the next one",
        "        if future.done():  # its task does not wait for it any more\n            return\n",
        "        while future.done():\n            future, _ = self._asked.popleft()\n",
        ("test_the_answer_of_a_cancelled_command_is_given_to_no_other",),
    ),
    Fault(
        "endpoint",
        "one address takes all connections",
        "if self._open[host] >= self.most_of_one or len(self) >= self.most:",
        "if len(self) >= self.most:",
        ("test_connections_are_bounded_by_address_and_together",),
    ),
    Fault(
        "endpoint",
        "an address that nobody sends to is dialled for ever",
        "return self.host.now() - self._wanted_at < self.host.options.wanted_for",
        "return True",
        (
            "test_a_link_ends_when_nothing_was_sent_for_a_while",
            "test_an_address_is_tried_less_and_less_often_and_given_up_once_nobody_wants_it",
        ),
    ),
    Fault(
        "endpoint",
        "messages leave the machine without encryption",
        "if is_open and not all(is_loopback(place) for place in places):",
        "if False:",
        ("test_without_tls_nothing_goes_beyond_this_machine_unless_that_is_allowed",),
    ),
    Fault(
        "endpoint",
        "what a peer sends while Redis is away has no limit",
        "return max(0, self.most - self.held)",
        "return self.most",
        ("test_what_comes_is_bounded_and_readers_wait_while_redis_takes_nothing",),
    ),
    Fault(
        "endpoint",
        "the endpoint is told of a list with each bundle",
        "if held == 0 and tell then redis.call('RPUSH', KEYS[2], list) end",
        "if tell then redis.call('RPUSH', KEYS[2], list) end",
        ("test_the_endpoint_is_told_of_a_list_once_until_it_is_empty",),
    ),
    Fault(
        "endpoint",
        "a list takes more than it may",
        "if (held > 0 and held + #bundle > most) or all + put + #bundle > most_of_all",
        "if all + put + #bundle > most_of_all",
        ("test_a_list_refuses_what_is_too_much_and_others_do_not",),
    ),
    Fault(
        "endpoint",
        "a bundle of frames has no limit",
        "if pieces and size + len(raw) > BUNDLE:",
        "if False:",
        ("test_frames_are_bundled_and_found_again_in_their_order",),
    ),
    Fault(
        "endpoint",
        "an instance dials as many addresses as it is told",
        "elif len(self.links) < self.options.next_hops:",
        "else:",
        ("test_an_instance_has_no_more_next_hops_than_it_may",),
    ),
)
PAGES: Final = (
    Fault(
        "pages",
        "a site that is read-only is written",
        "return settings.READ_ONLY and stores and request.method not in SAFE",
        "return False",
        ("test_nobody_writes_anything_where_the_site_is_read_only",),
    ),
    Fault(
        "pages",
        "a user who may read may write",
        'return declared["read" if method in SAFE else "write"]',
        'return declared["read"]',
        ("test_a_viewer_cannot_write",),
    ),
    Fault(
        "pages",
        "every user may do everything",
        "return bool(user.is_active and user.has_perm(permission))",
        "return bool(user.is_active)",
        ("test_a_role_may_what_those_before_it_may", "test_a_viewer_cannot_write"),
    ),
    Fault(
        "pages",
        "examples have no words",
        'return [_BY_NAME.get(path.stem) or Example(path.stem, path.stem, "") for path in found]',
        'return [Example(path.stem, path.stem, "") for path in found]',
        ("test_the_examples_are_there_and_have_words",),
    ),
    Fault(
        "pages",
        "a filter that begins like an option is written without quotes",
        'return not self.key and (value.startswith("-") or _KEY.match(value) is not None)',
        "return False",
        ("test_what_is_written_is_read_again",),
    ),
    Fault(
        "pages",
        "a filter may be as long as it likes",
        "if len(text) > LONGEST:",
        "if False:",
        ("test_a_filter_is_not_endless",),
    ),
    Fault(
        "pages",
        "two scenarios have one name",
        "while name in taken or example_find(name):",
        "while example_find(name):",
        ("test_every_scenario_has_a_name_of_its_own",),
    ),
    Fault(
        "pages",
        "the last administrator can be taken away",
        "raise LastAdministratorError",
        "return",
        ("test_the_last_administrator_stays_one",),
    ),
    Fault(
        "pages",
        "a title is as long as the first line",
        'return line[:TITLE_MAX] or "scenario"',
        'return line or "scenario"',
        ("test_a_title_is_one_line_of_readable_length",),
    ),
)
REST: Final = (
    Fault(
        "REST",
        "nobody asks too often",
        "return times <= self.num_requests",
        "return True",
        ("test_who_asks_too_often_has_to_wait",),
    ),
    Fault(
        "REST",
        "a row is written over what the client has not seen",
        'return "*" in known or etag in known',
        "return True",
        ("test_nothing_is_written_over_what_was_not_seen",),
    ),
    Fault(
        "REST",
        "another document with the same Idempotency-Key is taken for the first",
        "if run is not None and not is_same(run, sent):",
        "if False:",
        ("test_a_key_is_for_one_import_only",),
    ),
    Fault(
        "REST",
        "the next page begins with the last row of the one before",
        "sort_key(row) < after if is_backwards else sort_key(row) > after",
        "sort_key(row) < after if is_backwards else sort_key(row) >= after",
        ("test_pages_give_every_row_once_in_their_order",),
    ),
    Fault(
        "REST",
        "a dialog is ended with an error and with cleanup",
        'raise Invalid("", say("must have either an error or cleanup"))',
        "pass",
        ("test_verbs::test_what_cannot_be_done_says_why",),
    ),
    Fault(
        "REST",
        "a request without a message is sent",
        "if not 1 <= len(data) <= MAX_MESSAGES:",
        "if not 0 <= len(data) <= MAX_MESSAGES:",
        ("test_verbs::test_what_cannot_be_done_says_why",),
    ),
    Fault(
        "REST",
        "false in a query is true",
        'return text == "true"',
        "return True",
        ("api.test_lists::test_filters",),
    ),
    Fault(
        "REST",
        "two who edit one version overwrite each other",
        "if base_version is not None and live.version != base_version:",
        "if False:",
        ("test_edits_of_another_version_are_refused",),
    ),
    Fault(
        "REST",
        "the order of a list is no change",
        "if old is new or (not old and not new):",
        "if True:",
        ("test_a_list_in_another_order_is_a_change",),
    ),
    Fault(
        "REST",
        "a version is older than the one before where the clock was set back",
        "return max(now, last.created_at + timedelta(microseconds=1)) if last else now",
        "return now",
        ("test_versions_follow_in_time_though_the_clock_is_set_back",),
    ),
)
PIPELINE: Final = (
    Fault(
        "pipeline",
        "an answer ends where it begins",
        "min((one for one in moments if one > moment)",
        "min((one for one in moments if one >= moment)",
        ("test_answers_are_those_of_the_rules_at_every_moment_until_they_end",),
    ),
    Fault(
        "pipeline",
        "two versions of one moment are taken",
        "if one.since == other.since:",
        "if False:",
        ("test_a_history_is_refused_as_a_whole",),
    ),
    Fault(
        "pipeline",
        "Java 8 is taken for Java 1",
        r'(?:JAVA_VERSION=|version )"(?:1\.)?([0-9]+)',
        r'(?:JAVA_VERSION=|version )"([0-9]+)',
        ("test_a_java_says_its_version",),
    ),
    Fault(
        "pipeline",
        "an option that is none of Spark's is taken",
        'if not equals or not key.startswith("spark."):',
        "if not equals:",
        ("test_bad_usage_is_status_2",),
    ),
    Fault(
        "pipeline",
        "a version without its moment is taken",
        'raise InputError(where, "$.valid_from", say("is missing: a version says since when it was in force"))',
        "pass",
        ("test_a_history_is_refused_as_a_whole",),
    ),
    Fault(
        "pipeline",
        "a Java that was killed is not known as gone",
        "return isinstance(failure, Py4JError) and not isinstance(failure, Py4JJavaError) and",
        "return False and",
        ("test_it_is_known_and_py4j_says_nothing",),
    ),
    Fault(
        "pipeline",
        "rows that were lost are not noticed",
        "if rows_in != rows_out + quarantined:",
        "if False:",
        ("test_rows_that_were_lost_are_a_fault",),
    ),
)
ENGINE: Final = (
    Fault(
        "engine",
        "a route lives a moment longer than its lifetime",
        "return self.lifetime is not None and at >= self.lifetime",
        "return self.lifetime is not None and at > self.lifetime",
        ("test_a_route_is_expired_at_and_after_its_lifetime",),
    ),
    Fault(
        "engine",
        "a set of routes is alive a moment too long",
        "if self.expires is None or at < self.expires:",
        "if self.expires is None or at <= self.expires:",
        ("test_expired_routes_are_left_out_at_and_after_their_lifetime",),
    ),
    Fault(
        "engine",
        "a mirror is at no address of the network",
        "if not self.mirror_address.is_network:",
        "if False:",
        ("test_a_route_that_cannot_be_is_never_made",),
    ),
    Fault(
        "engine",
        "MSDB in capitals is another database",
        "return MSDB if database.lower() == MSDB else database",
        "return database",
        ("test_msdb_is_known_by_its_name",),
    ),
    Fault(
        "engine",
        "a grid of rows has no limit",
        "if count >= MAX_ROWS:",
        "if False:",
        ("test_grid_parser::test_too_many_rows",),
    ),
)
PROOFS: Final = (
    Fault(
        "proofs",
        "a file of routing tests may repeat itself by aliases",
        "if isinstance(event, yaml.AliasEvent) or event.anchor is not None:",
        "if False:",
        ("test_files::test_what_is_wrong_is_refused_with_its_line",),
    ),
    Fault(
        "proofs",
        "a route counts as used that a rule put aside",
        "if step.taken and step.rule in CHOOSING:",
        "if step.rule in CHOOSING:",
        ("test_routes_are_used_where_a_rule_chose_them",),
    ),
    Fault(
        "proofs",
        "a certificate may leave a service name out",
        "elif claimed[name] != 1:",
        "elif claimed[name] > 1:",
        ("test_an_altered_claim_is_the_first_that_fails",),
    ),
    Fault(
        "proofs",
        "a change of all names touches none of those that a certificate lists by name alone",
        "if not self._is_common_ground or before != after:",
        "if before != after:",
        ("test_a_compact_certificate_lists_what_the_change_can_touch_alone",),
    ),
    Fault(
        "proofs",
        "a change of msdb touches only conversations that begin there",
        "return None if any(database == MSDB for _, database in tables) else tables",
        "return tables",
        ("test_a_compact_certificate_lists_what_the_change_can_touch_alone",),
    ),
)
EVERY_DATABASE: Final = ("test_a_service_of_every_database_is_compared_for_every_identifier",)
EFFECT: Final = (
    Fault(
        "effect",
        "replies count as evaluated though an instance that decides for them is there before or after the change only",
        "(near.suspected, known.identified, delta.one_sided)",
        "(near.suspected, known.identified)",
        EVERY_DATABASE,
    ),
    Fault(
        "effect",
        "replies count as evaluated though a message from a changed instance meets the one that decides for them",
        "return all(name not in near.passing and name not in crossed for name, _ in replying)",
        "return True",
        EVERY_DATABASE,
    ),
    Fault(
        "effect",
        "entry points that are answered anew stay in the group that many classes share",
        "for pair in {places[node] for node in nodes if node in places}:",
        "for pair in ():",
        EVERY_DATABASE,
    ),
    Fault(
        "effect",
        "groups that a class has of its own count a second time among those that it shares",
        "yield from (group for group in self.base if (group.before, group.after) not in self.replaced)",
        "yield from self.base",
        EVERY_DATABASE,
    ),
)
FAULTS: Final = (*STORE, *ENDPOINT, *PAGES, *REST, *PIPELINE, *ENGINE, *PROOFS, *EFFECT)
