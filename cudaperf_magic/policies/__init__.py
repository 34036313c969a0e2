"""Who proposes the next candidate, from the episode so far. They decide nothing about its worth."""
