"""The event log: `records` (the codec), `keys` (where they live in Redis), `shards` (how many),
`redis_server` (a private Redis), `locks` (between its users).

Of the proxy, the evaluator imports this package and `proxy.model` only; hence no imports here.
"""
