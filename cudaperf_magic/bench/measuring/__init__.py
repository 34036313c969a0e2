"""From times and sizes to claims: statistics, noise, floors and baselines. Nothing here touches a device.

| module | its one job |
|---|---|
| `samples` | what is measured on a device, as data |
| `pairing` | candidate and baseline sample by sample: in which order, how many |
| `statistics` | the ratio of paired samples and its interval |
| `noise` | how far a kernel's time lies from its own, kept for each card |
| `floor` | the least time of a task, from what it surely moves and computes |
| `baselines` | the C on one core and on all |
"""
