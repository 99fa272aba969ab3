"""`parlay bench`: one module a group of rows; floors are measured in the same run, since machines differ."""
