"""Imports: scripts, catalogs and documents on their way into the live estate.

Begin with `services`: each function is one step of one import (`models`), which a user takes on a page, or a program by
`unattended_imports`. `detecting` guesses what a file is, and `sources` holds the kind and instance that were decided
on. `import_job` then has `reading` make an estate of the files, with `usual_mode`, `included_files` and `variables` for
scripts, and with `hosted_identifiers` and `known_instances`, which keep what the live estate knows better. `preview`
compares it with the live estate (`change_lines`, `finding_kinds`), and `applying` writes it. `presenter`, `as_text` and
`answer` show a preview or a result to the page, the terminal and REST.
"""
