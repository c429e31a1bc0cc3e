"""Tests of what an attacker would try, on every address of the site."""
