"""What a job writes: output folder, record, manifest, row counts."""
