"""From times and sizes to claims: statistics, noise, floors and baselines. Nothing here touches a device."""
