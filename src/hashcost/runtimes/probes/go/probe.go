// hashcost's probe for Go, built within the application's module, so with its own libraries.
// Each other file adds what one package hashes, and is left out where the module lacks it.
package main

import (
	"bufio"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

type question struct {
	ID       int            `json:"id"`
	Op       string         `json:"op"`
	Library  string         `json:"library"`
	Hasher   string         `json:"hasher"`
	Password string         `json:"password"`
	Salt     string         `json:"salt"`
	Stored   string         `json:"stored"`
	Length   int            `json:"length"`
	Params   map[string]int `json:"params"`
}

type hashing func(password, salt []byte, q question) ([]byte, error)

var (
	hashers = map[string]hashing{} // by library, a blank and the hasher
	// A library that takes no salt verifies what was stored.
	verifiers = map[string]func(password, stored []byte) bool{}
	reasons   = map[string]string{} // why a hasher is not there, by how its name begins
	digests   = map[string]func() hash.Hash{
		"sha1": sha1.New, "sha256": sha256.New, "sha512": sha512.New,
	}
	errUnavailable = errors.New("unavailable")
)

func (q question) hasher() (hashing, error) {
	asked := q.Library + " " + q.Hasher
	if run := hashers[asked]; run != nil {
		return run, nil
	}
	for name, why := range reasons {
		if strings.HasPrefix(asked, name) {
			return nil, fmt.Errorf("%w: %s", errUnavailable, why)
		}
	}
	return nil, fmt.Errorf("%w: %s has no %s in %s", errUnavailable, q.Library, q.Hasher, runtime.Version())
}

func version(library string) string {
	info, isBuilt := debug.ReadBuildInfo()
	if !isBuilt || library != "x/crypto" {
		return library
	}
	for _, module := range info.Deps {
		if module.Path == "golang.org/x/crypto" {
			if module.Replace != nil {
				module = module.Replace
			}
			return strings.TrimSpace("x/crypto " + module.Version)
		}
	}
	return library
}

func answer(q question) (map[string]any, error) {
	run, err := q.hasher()
	if err != nil {
		return nil, err
	}
	verify := verifiers[q.Library+" "+q.Hasher]
	password, _ := hex.DecodeString(q.Password)
	switch q.Op {
	case "load":
		salt := "given"
		if verify != nil {
			salt = "own"
		}
		return map[string]any{"version": version(q.Library), "salt": salt}, nil
	case "verify":
		stored, _ := hex.DecodeString(q.Stored)
		return map[string]any{"match": verify(password, stored)}, nil
	}
	salt, _ := hex.DecodeString(q.Salt)
	// The clock is the process's: the lanes of argon2 and the collector have threads of their own.
	var before, after syscall.Rusage
	began := time.Now()
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	output, err := run(password, salt, q)
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	wall := time.Since(began).Seconds()
	if err != nil {
		return nil, err
	}
	user := time.Duration(after.Utime.Nano() - before.Utime.Nano()).Seconds()
	system := time.Duration(after.Stime.Nano() - before.Stime.Nano()).Seconds()
	return map[string]any{
		"output": hex.EncodeToString(output), "cpu": user + system, "wall": wall,
		"system": system, "faults": after.Minflt - before.Minflt,
	}, nil
}

func main() {
	if folder := os.Getenv("HASHCOST_FOLDER"); folder != "" {
		_ = os.RemoveAll(folder)
	}
	say := json.NewEncoder(os.Stdout).Encode
	_ = say(map[string]any{
		"hashcost": 1, "runtime": "go " + strings.TrimPrefix(runtime.Version(), "go"),
		"pid": os.Getpid(), "clock": "getrusage",
	})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var q question
		if json.Unmarshal(lines.Bytes(), &q) != nil || q.Op == "bye" {
			return
		}
		message, err := answer(q)
		if err != nil {
			kind, why := "failed", err.Error()
			if errors.Is(err, errUnavailable) {
				kind, why = "unavailable", strings.TrimPrefix(why, "unavailable: ")
			}
			message = map[string]any{"error": kind, "message": why}
		}
		message["id"] = q.ID
		_ = say(message)
	}
}
