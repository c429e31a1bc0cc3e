USE A
GO
<Statement, nvarchar(max), CREATE ROUTE r>
GO
<Verb, sysname, CREATE> ROUTE r WITH ADDRESS = 'LOCAL'
GO
SELECT a
FROM t WHERE a <b
AND <c, sysname, d>
GO
CREATE ROUTE s WITH ADDRESS = 'LOCAL'
