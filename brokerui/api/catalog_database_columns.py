"""The columns of sys.databases, for the schema: those of SQL Server 2022, in its order."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


def _text(**more: Any) -> Any:
    return serializers.CharField(**more)


def _number(**more: Any) -> Any:
    return serializers.IntegerField(**more)


def _flag(**more: Any) -> Any:
    return serializers.BooleanField(**more)


def _moment(**more: Any) -> Any:
    return serializers.DateTimeField(**more)


class SysDatabaseSerializer(serializers.Serializer):
    """A row of sys.databases. Its settings that have no part in Service Broker are not known, and null."""

    instance = _text()
    name = _text()
    database_id = _number()
    source_database_id = _number(allow_null=True)
    owner_sid = _text(allow_null=True)
    create_date = _moment(allow_null=True)
    compatibility_level = _number(allow_null=True)
    collation_name = _text(allow_null=True)
    user_access = _number(allow_null=True)
    user_access_desc = _text(allow_null=True)
    is_read_only = _flag(allow_null=True)
    is_auto_close_on = _flag(allow_null=True)
    is_auto_shrink_on = _flag(allow_null=True)
    state = _number(allow_null=True)
    state_desc = _text(allow_null=True)
    is_in_standby = _flag(allow_null=True)
    is_cleanly_shutdown = _flag(allow_null=True)
    is_supplemental_logging_enabled = _flag(allow_null=True)
    snapshot_isolation_state = _number(allow_null=True)
    snapshot_isolation_state_desc = _text(allow_null=True)
    is_read_committed_snapshot_on = _flag(allow_null=True)
    recovery_model = _number(allow_null=True)
    recovery_model_desc = _text(allow_null=True)
    page_verify_option = _number(allow_null=True)
    page_verify_option_desc = _text(allow_null=True)
    is_auto_create_stats_on = _flag(allow_null=True)
    is_auto_create_stats_incremental_on = _flag(allow_null=True)
    is_auto_update_stats_on = _flag(allow_null=True)
    is_auto_update_stats_async_on = _flag(allow_null=True)
    is_ansi_null_default_on = _flag(allow_null=True)
    is_ansi_nulls_on = _flag(allow_null=True)
    is_ansi_padding_on = _flag(allow_null=True)
    is_ansi_warnings_on = _flag(allow_null=True)
    is_arithabort_on = _flag(allow_null=True)
    is_concat_null_yields_null_on = _flag(allow_null=True)
    is_numeric_roundabort_on = _flag(allow_null=True)
    is_quoted_identifier_on = _flag(allow_null=True)
    is_recursive_triggers_on = _flag(allow_null=True)
    is_cursor_close_on_commit_on = _flag(allow_null=True)
    is_local_cursor_default = _flag(allow_null=True)
    is_fulltext_enabled = _flag(allow_null=True)
    is_trustworthy_on = _flag(allow_null=True)
    is_db_chaining_on = _flag(allow_null=True)
    is_parameterization_forced = _flag(allow_null=True)
    is_master_key_encrypted_by_server = _flag(allow_null=True)
    is_query_store_on = _flag(allow_null=True)
    is_published = _flag(allow_null=True)
    is_subscribed = _flag(allow_null=True)
    is_merge_published = _flag(allow_null=True)
    is_distributor = _flag(allow_null=True)
    is_sync_with_backup = _flag(allow_null=True)
    service_broker_guid = _text(allow_null=True)
    is_broker_enabled = _flag()
    log_reuse_wait = _number(allow_null=True)
    log_reuse_wait_desc = _text(allow_null=True)
    is_date_correlation_on = _flag(allow_null=True)
    is_cdc_enabled = _flag(allow_null=True)
    is_encrypted = _flag(allow_null=True)
    is_honor_broker_priority_on = _flag(allow_null=True)
    replica_id = _text(allow_null=True)
    group_database_id = _text(allow_null=True)
    resource_pool_id = _number(allow_null=True)
    default_language_lcid = _number(allow_null=True)
    default_language_name = _text(allow_null=True)
    default_fulltext_language_lcid = _number(allow_null=True)
    default_fulltext_language_name = _text(allow_null=True)
    is_nested_triggers_on = _flag(allow_null=True)
    is_transform_noise_words_on = _flag(allow_null=True)
    two_digit_year_cutoff = _number(allow_null=True)
    containment = _number(allow_null=True)
    containment_desc = _text(allow_null=True)
    target_recovery_time_in_seconds = _number(allow_null=True)
    delayed_durability = _number(allow_null=True)
    delayed_durability_desc = _text(allow_null=True)
    is_memory_optimized_elevate_to_snapshot_on = _flag(allow_null=True)
    is_federation_member = _flag(allow_null=True)
    is_remote_data_archive_enabled = _flag(allow_null=True)
    is_mixed_page_allocation_on = _flag(allow_null=True)
    is_temporal_history_retention_enabled = _flag(allow_null=True)
    catalog_collation_type = _number(allow_null=True)
    catalog_collation_type_desc = _text(allow_null=True)
    physical_database_name = _text(allow_null=True)
    is_result_set_caching_on = _flag(allow_null=True)
    is_accelerated_database_recovery_on = _flag(allow_null=True)
    is_tempdb_spill_to_remote_store = _flag(allow_null=True)
    is_stale_page_detection_on = _flag(allow_null=True)
    is_memory_optimized_enabled = _flag(allow_null=True)
    is_data_retention_enabled = _flag(allow_null=True)
    is_ledger_on = _flag(allow_null=True)
    is_change_feed_enabled = _flag(allow_null=True)
