"""How things look: colours of the strategies, displays of tilted bars, graphical models.

Knows nothing of search or of any result, so every layer may draw with it. The modules load
matplotlib; import them where something is drawn.
"""
