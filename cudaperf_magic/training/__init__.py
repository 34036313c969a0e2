"""Training on episodes: from rewards to returns, groups and advantages."""
