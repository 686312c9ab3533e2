"""How things look: cards for text and HTML, colours of the strategies, displays, regions.

Knows nothing of search or of any result, so every layer may draw with it. All modules but
`representation` load matplotlib; import them where something is drawn.
"""
