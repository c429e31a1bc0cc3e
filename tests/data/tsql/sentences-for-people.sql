USE A
INSERT INTO dbo.Log (what) VALUES ('Create route ToShop: done'), (N'please drop contract [c]'), ('Alter queue. Then wait')
EXEC sys.sp_addextendedproperty @name = N'MS_Description', @value = N'Alter service before you drop contract [x]'
SET @m = 'Could not create queue ' + @q + ', sorry'
SET @n = N'See how to create route (of old)'
-- these are none
SET @a = N'IF 1 = 1 DROP ROUTE a1'
SET @b = 'USE x DROP QUEUE IF EXISTS dbo.a2 DROP SERVICE a3'
SET @c = 'CREATE SERVICE a4 ON QUEUE q DROP SERVICE a5'
SET @d = @d + ' so on DROP CONTRACT [a6]'
SET @e = FORMATMESSAGE('CREATE ROUTE %s WITH ADDRESS = ''LOCAL'' ', @r)
SET @f = 'drop route a7
drop queue a8'
SET @g = 'CREATE QUEUE a9 GO CREATE MESSAGE TYPE a10 /* c */ VALIDATION = NONE'
EXEC ('please create route b1 now')
EXEC sp_executesql N'please drop queue b2 now'
EXEC sp_notify N'please drop queue b3 now'
