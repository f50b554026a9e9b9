module services

go 1.26.2

require (
	code.gitea.io/gitea v1.26.0
	github.com/go-crypt/crypt v0.14.15
	golang.org/x/crypto v0.58.0
)

require (
	github.com/go-crypt/x v0.4.16 // indirect
	github.com/google/pprof v0.0.0-20260302011040-a15ffb7f9dcc // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)
