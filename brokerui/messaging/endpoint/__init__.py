"""The sockets of the hosted instances: `brokerui endpoint` owns all of them, and workers own none.

Fragments and questions about roles pass between the two as raw bytes, through bounded lists in Redis (`lists`). What is
lost there is lost as on any network, and sent again by the dialog layer. No rule of the protocol is here: a connection
is `routing.adjacent.connection`, and this package gives it bytes and time.
"""
