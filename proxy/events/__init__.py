"""The event log: `records` (the codec), `keys` (where they live in Redis), `redis_server` (a private Redis).

The evaluator imports this package and `proxy.model`, and nothing else of the proxy; hence no imports here.
"""
