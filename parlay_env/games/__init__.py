"""Strategic games beside the deal, each a file with one class, none of which imports another. What they share stands in
`interface` and `messages`."""
