:setvar r r
USE A
CREATE ROUTE [$(r)$(r)] WITH ADDRESS = 'LOCAL'