"""The programs that applications hash with, to be timed beside what stands in for them."""
