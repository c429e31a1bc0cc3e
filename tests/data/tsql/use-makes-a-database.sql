USE A
USE [b c]