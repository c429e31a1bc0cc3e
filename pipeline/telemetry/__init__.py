"""What an event log says of a time: one function a table, DataFrame to DataFrame."""
