"""Rerankers: the last stage, over the first `top` candidates of the fused list."""
