"""The output of a job: folder, record, manifest, row counts."""
