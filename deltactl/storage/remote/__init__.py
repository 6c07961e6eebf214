"""What all stores beyond this machine share: ranges, prefetching, threads."""
