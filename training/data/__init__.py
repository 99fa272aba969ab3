"""The data set: from event logs to examples that a model learns from, one a move.

`sources` and `records` find logs, on disk and among the games that people gave; `checked` plays each again and takes
out what a player saw and did; `filters` says which episodes are worth learning from; `build` makes the set (`form`) of
them, without names (`names`), and counts its tokens (`tokens`); `card` describes it, `export` and `pairs` give it to
trainers. `headline` does all of it for the set that docs/data.md describes.
"""
