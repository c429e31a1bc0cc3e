"""The product on one machine: its processes, from the command that starts them to the log that they share.

Begin with `up`, the command. It takes the `lock` of the home and the port (`listening`), and gives the `supervisor` its
programs, each a `child`. `web` is the process that prepares the home (`bootstrap`) and then serves pages: `preload`
makes the first answers, `slow_clients` keeps slow browsers off its threads, and `report` tells the supervisor. `logs`,
`log_merge` and `messages` write what all of them say; `status` looks from outside whether all is well,
`condition_at_start` from a process that runs alone.
"""
