"""What talking to a model service has in common, whether it embeds or judges.

`recipe` (the options they share) · `access` (address, key, TLS) · `service` (plain HTTP) ·
`cohere_sdk` (Cohere's own client) · `failures` (a status becomes an error of ours) · `texts`
(cutting and cleaning what is sent).
"""
