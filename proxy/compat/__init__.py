"""Elasticsearch's API for clients that already speak it: as much of it as the route's pipelines
answer, and a reason for everything else.

The grammar, pure functions over decoded JSON that raise `BadRequest` naming a path: `shapes`
(single values), `texts`, `filters`, `queries`, `retrievers` (what is searched), `facets`,
`highlights`, `sources` (what is shown), `recognition` (a whole body), `parameters` (a URL's).
`caps` holds before any of it. Around it: `bodies` (bytes to JSON), `lookups` (documents by id),
`answers` and `failures` (the engine's shapes), `media` (content types), `searching` (one search),
`handlers` and `refusals` (paths).
"""
