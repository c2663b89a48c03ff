"""Elasticsearch and OpenSearch as backends.

Pure: `requests` (what is asked, as bodies) · `ids` (documents named within a route) · `answers`
(what an engine sends back, as structs) · `decoding` (bytes to these) · `reading` (these to what a
backend returns) · `addresses`, `product` (what is at them) · `breaker`, `budget` (when to ask).

Opened: `recipe` (the configuration) · `tls`, `session` (connections) · `elasticsearch_py`,
`opensearch_py` (the makers' clients) · `trouble` (what goes wrong) · `node` (one of them) ·
`caller` (which of them, and when once more) · `indices` (what names stand for) · `cluster` (the
backend) · `inspection` (what `check --backends` asks).
"""
