"""The page of expiry: routes, lifetimes and timers that end, in the order of time, with their effect."""
