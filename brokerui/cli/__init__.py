"""The command `brokerui`, whose subcommands are the modules of `commands/`.

Begin with `main`, which finds the command and starts Django only where the command needs it (`product`). `arguments`,
`usage` and `instance_files` read the command line, `inputs` and `script_folder` read files, `outputs` and
`standard_output` write, `messaging` is common to the commands that send and receive. The other modules belong to one
command each: `estate_import` and `import_report`, `delayed_acts`, `diff_report` and `traffic_weights`, `test_report`
and `junit`.
"""
