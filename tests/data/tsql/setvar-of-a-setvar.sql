:setvar a x
:setvar b $(a).example
USE A
CREATE ROUTE r WITH ADDRESS = 'tcp://$(b)'