"""The tables made from an event log: one function a table, DataFrame to DataFrame."""
