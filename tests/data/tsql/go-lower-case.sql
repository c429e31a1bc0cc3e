USE A
GO
create route r with ADDRESS = 'LOCAL'
go
create route s with ADDRESS = 'LOCAL'
gO
