"""The output of a job: folder, record, manifest, row counts.

Begin with `new_tables`, a result of Delta tables that counts once `_run.json` names its files; `swapped_folder` and
`remote_folder` are results of a program that writes as it likes. Before a run, `free_folder` refuses a folder of
somebody else and `run_names` names its own; `table_folders` and `table_logs` say where its tables are, `output_folder`
and `grouped_rows` write them. After it, `parquet_counts`, `manifest` and `run_record` count and name the rows and files
that it wrote. `former_files` and `merging` take over files of the former result, `former_result` clears it away, and
`catalog_statements` make a result known to other programs.
"""
