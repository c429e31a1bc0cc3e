EXEC ('CREATE DATABASE X')
EXEC ('create database ' + @db + ' on primary (name = a)')
EXEC ('DROP DATABASE IF EXISTS [Y]')
EXEC ('CREATE DATABASE AUDIT SPECIFICATION s')
EXEC ('CREATE DATABASE ENCRYPTION KEY')
EXEC ('GRANT CREATE DATABASE TO somebody; GRANT CREATE ROUTE TO [x]')
PRINT 'create database failed'
SET @m = 'could not create database x'
