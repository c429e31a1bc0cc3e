USE A
GO
CREATE ROUTE r WITH ADDRESS = N'<address, nvarchar(256), tcp://host:4022>'