"""The foundation of the product: it imports nothing of the estate, of messages or of pages, and all of them import it.

Its modules stand beside each other; by subject they are:

- the installation: `home`, `databases`, `start`, `resources`, `logs`, `checks`, `conditions`, `disk_space`,
  `migration_state`, `newer_database`, `reaper`;
- requests: `middleware`, `errors`, `problems`, `refusals`, `instance_limit`, `client_ip`, `rate_counter`, `htmx`,
  `paging`, `filters`;
- answers that are kept, or come later: `cache`, `keyed_lock`, `commit_mark`, `lasting`, `deferred`, `passing_errors`,
  `read_once`;
- background work: `jobs/`, `tasks`, `beat`, `celery_wake`, `celery_transport`, `heartbeat`, `worker_stop`, `backoff`;
- Redis: `redis_url` and `valkey` (where it is), `redis_client`, `async_redis`, `redis_connection`, `redis_answers`,
  `redis_loading`, `redis_keys`, `redis_values`, `redis_aside`;
- texts for readers: `languages`, `catalogues`, `sentence_json`, `moments`, `typed_moments`, `csv`;
- the rest: `append_only` tables, `files` that are collected, `tracing` with `traced_work`.
"""
