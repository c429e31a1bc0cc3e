"""What is promised to programs that speak REST: leases of messages, and one answer to a request sent twice."""
