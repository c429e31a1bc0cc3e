:setvar Server hub01
:setvar Port 4022
:setvar Path .
:on error exit
:out deploy.log
USE Orders
GO
:r $(Path)/V4__queues.sql
GO
:r "$(Path)\hub-part.sql"
GO
