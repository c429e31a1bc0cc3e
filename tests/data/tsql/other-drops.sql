USE A
GO
ALTER TABLE t DROP COLUMN route
DROP TABLE route, service
CREATE TABLE service (queue int, contract int)
CREATE INDEX i ON queue (route) WITH (DROP_EXISTING = ON)
DROP USER route
CREATE USER service WITHOUT LOGIN
SELECT route, service FROM queue