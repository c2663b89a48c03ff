"""Elasticsearch and OpenSearch as backends.

Pure: `requests` (what is asked, as bodies) · `ids` (documents named within a route) · `answers`
(what an engine sends back, as structs) · `decoding` (bytes to these) · `reading` (these to what a
backend returns).
"""
