-- sqlcmd begins with QUOTED_IDENTIFIER OFF: then these are strings
USE A
EXEC("CREATE ROUTE r WITH SERVICE_NAME = 'S', ADDRESS = 'tcp://b:4022'")
EXEC ("DROP QUEUE " + @q)
EXEC('ALTER ' + "SERVICE s ON QUEUE q")
EXECUTE sp_executesql "CREATE ENDPOINT e STATE = STARTED AS TCP (LISTENER_PORT = 4030) FOR SERVICE_BROKER ()"
SELECT name AS "Create route", "alter" AS "Drop queue" FROM "create service"
CREATE ROUTE "create route s" WITH ADDRESS = "LOCAL"
