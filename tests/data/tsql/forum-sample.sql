-- Hi all, here is what I did:
use master
go
if exists(select * from sys.databases where name='SBTest') drop database SBTest
go
create database SBTest
go
alter database SBTest set new_broker with rollback immediate
go
use SBTest
go
create master key encryption by password='Pa$$w0rd!'
create message type [//test/msg] validation=well_formed_xml
create contract [//test/c]([//test/msg] sent by any,[DEFAULT] sent by initiator)
create queue q1; create queue q2;
create service s1 on queue q1([//test/c]) create service s2 on queue q2 ([//test/c])
declare @h uniqueidentifier
begin dialog conversation @h from service s1 to service 's2' on contract [//test/c] with encryption=off;
send on conversation @h message type [//test/msg] ('<a/>')
go
select cast(message_body as xml),* from q2
create route r1 with service_name='s2',broker_instance=(select service_broker_guid from sys.databases where name='x'),address='tcp://1.2.3.4:4022'
declare @a nvarchar(100)='tcp://x'
create route r2 with service_name='s2', address=@a
create route r3 with service_name='s2' , address='tcp://'+@@servername+':4022'
