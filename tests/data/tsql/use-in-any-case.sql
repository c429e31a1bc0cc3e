use a
create route r with ADDRESS = 'LOCAL'
go
USE [A]
CREATE ROUTE s WITH ADDRESS = 'LOCAL'