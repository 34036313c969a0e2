"""Lane B: a candidate with host code of its own (a PyTorch `ModelNew`) runs in a child that knows no secret.

| where | module | its one job |
|---|---|---|
| parent | `evaluate` | what is tried in which order |
| | `attempt` | a candidate's whole run in one child |
| | `general`, `peak` | how many other shapes it is right on; how much memory it takes |
| | `player`, `court` | the child and the referee, as the parent drives them |
| | `schedule` | which contents in which slot and order, from secret seeds |
| | `outcome`, `labels` | what was seen -> verdict, timing, labels |
| | `building` | extensions, compiled outside the child |
| | `contained` | the child stopped still, and set going |
| referee | `referee` | makes inputs, owns the memory, reads outputs, then compares |
| | `reference`, `screening`, `judge` | the oracle, what it can be held to, the comparison |
| | `inputs`, `neighbours` | contents, and shapes beside the task's own |
| child | `child`, `extension`, `observe`, `knockout` | calls `ModelNew`; holds no reference, tolerance, seed, verdict |
| shared | `gate`, `memory`, `device_memory`, `layout`, `loading`, `parameters` | what two processes have in common |
"""
