USE A
GO
CREATE /* a */ ROUTE -- the route
  [r] /* with /* nested */ comment */ WITH -- clauses
  /* SERVICE_NAME = 'no', */ SERVICE_NAME /**/ = /**/ N'//yes' -- , LIFETIME = 5
  , -- 'quote in a comment
  ADDRESS = 'tcp://h--x:4022' /* ' */ ; --*/
CREATE QUEUE q -- WITH STATUS = OFF
CREATE SERVICE s ON /* QUEUE p */ QUEUE q (/* [c] */ [DEFAULT] -- ]
)
