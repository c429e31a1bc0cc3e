:r other.sql
USE A