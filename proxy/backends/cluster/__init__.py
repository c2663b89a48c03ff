"""Elasticsearch and OpenSearch as backends.

Pure: `requests` (what is asked, as bodies) · `ids` (documents named within a route) · `answers`
(what an engine sends back, decoded in one go) · `reading` (answers to what a backend returns).
"""
