USE A
GO
INSERT INTO t VALUES (N'it''s', 'a--b', '/*', '[', '"'), (0x1F, -1.5e3, $1.50)
CREATE ROUTE r WITH ADDRESS = 'LOCAL'