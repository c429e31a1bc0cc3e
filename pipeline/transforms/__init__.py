"""Pure transforms, DataFrame to DataFrame: nothing here reads, writes or counts."""
