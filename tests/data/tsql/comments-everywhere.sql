USE A
GO
CREATE /* x */ ROUTE -- y
 r /* /* nested */ */ WITH ADDRESS /*=*/ = -- 'no'
 'LOCAL'