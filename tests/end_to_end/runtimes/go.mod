module runtimes

go 1.20

require golang.org/x/crypto v0.32.0

require golang.org/x/sys v0.29.0 // indirect
