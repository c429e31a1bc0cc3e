:setvar addr "'LOCAL'"
USE A
CREATE ROUTE r WITH ADDRESS = $(addr)