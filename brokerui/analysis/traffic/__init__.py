"""The results of the pipeline about an estate's traffic, run by run, and the rounds that make them.

Begin with `rounds`: a user, or the schedule (`tasks`), asks for a round of the pipeline's `jobs`. A worker does it
(`job_kinds`, `working`) in a process of its own (`process`); for generated traffic, `generated` and `simulated_day`
draw it first. `waiting_rounds` and `checks` say why a round waits. Each job leaves a result in a folder: `gold` checks
it by `result_files`, `services` load it (`staging`) into the tables of `models`, by name in `tables`, and `selectors`
read it for pages and REST.
"""
