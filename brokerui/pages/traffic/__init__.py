"""The pages of Traffic: rounds of the pipeline, their results, and what each result found.

Begin with `views`. The first page has `round_on_page` and the `run_list`; the page of a run has its `run_summary`: for
telemetry the `telemetry_tables`, for other jobs the `flow_picture` and what stayed `unanswered`. `generated_run` names
the two estates that generated traffic met.
"""
