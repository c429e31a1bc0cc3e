use orders;
go
create
    route tohub
    with
        service_name = n'//hub/in'
        , address = n'tcp://hub01:4022'
;
go
