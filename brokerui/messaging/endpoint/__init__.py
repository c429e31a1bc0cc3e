"""The sockets of the hosted instances: `brokerui endpoint` owns all of them, and workers own none.

Fragments and questions about roles pass between the two as raw bytes, through bounded lists in Redis (`lists`). A
fragment that is lost there is sent again by the dialog layer, as on any network. No rule of the protocol is here: a
connection is `routing.adjacent.connection`, and this package gives it bytes and time.
"""
