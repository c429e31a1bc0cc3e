:on error exit
:out x.txt
!!dir
USE A
CREATE ROUTE r WITH ADDRESS = 'LOCAL'