// Hashes and verifies a password with the libraries of services written in Go. Each line of
// standard input is a JSON object of what was read from a configuration; each line of output
// the hash that the service would store, after verifying it Times times.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"code.gitea.io/gitea/modules/auth/password/hash"
	"github.com/go-crypt/crypt"
	"github.com/go-crypt/crypt/algorithm"
	"github.com/go-crypt/crypt/algorithm/argon2"
	cryptbcrypt "github.com/go-crypt/crypt/algorithm/bcrypt"
	"github.com/go-crypt/crypt/algorithm/pbkdf2"
	"github.com/go-crypt/crypt/algorithm/scrypt"
	"github.com/go-crypt/crypt/algorithm/shacrypt"
	xargon2 "golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
)

const probe = "probe-pass12"

type request struct {
	App       string
	Algorithm string
	Variant   string
	Settings  map[string]int
	Times     int
}

// What a service stores, and how it verifies a password.
type stored struct {
	hash   string
	verify func(password string) bool
}

func must[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}

	return made
}

// authelia does what internal/authentication/file_user_provider.go does with the settings.
func authelia(asked request) stored {
	var hasher algorithm.Hash

	iterations := asked.Settings["iterations"]

	switch asked.Algorithm {
	case "argon2":
		hasher = must(argon2.New(
			argon2.WithVariantName(asked.Variant),
			argon2.WithT(iterations),
			argon2.WithM(uint32(asked.Settings["memory"])),
			argon2.WithP(asked.Settings["parallelism"]),
		))
	case "sha2crypt":
		hasher = must(shacrypt.New(
			shacrypt.WithVariant(shacrypt.NewVariant(asked.Variant)),
			shacrypt.WithIterations(iterations),
		))
	case "pbkdf2":
		hasher = must(pbkdf2.New(
			pbkdf2.WithVariantName(asked.Variant),
			pbkdf2.WithIterations(iterations),
		))
	case "scrypt":
		hasher = must(scrypt.New(
			scrypt.WithLN(iterations),
			scrypt.WithR(asked.Settings["block_size"]),
			scrypt.WithP(asked.Settings["parallelism"]),
		))
	case "bcrypt":
		hasher = must(cryptbcrypt.New(cryptbcrypt.WithCost(asked.Settings["cost"])))
	default:
		panic(asked.Algorithm)
	}

	encoded := must(hasher.Hash(probe)).Encode()

	return stored{encoded, func(password string) bool {
		return must(crypt.CheckPassword(password, encoded))
	}}
}

// gitea stores the algorithm's specification in a column of its own, and bcrypt in its own form.
func gitea(asked request) stored {
	specification, hasher := hash.SetDefaultPasswordHashAlgorithm(asked.Algorithm)
	if hasher == nil {
		panic("Gitea does not know " + asked.Algorithm)
	}

	salt := hex.EncodeToString([]byte("0123456789abcdef"))
	column := must(hasher.Hash(probe, salt))
	again := hash.Parse(specification)
	verify := func(password string) bool { return again.VerifyPassword(password, column, salt) }

	if strings.HasPrefix(column, "$2") {
		return stored{column, verify}
	}

	return stored{fmt.Sprintf("%s:%d", specification, len(column)/2), verify}
}

// kratos does what hash/hasher_bcrypt.go and hash/hasher_argon2.go do.
func kratos(asked request) stored {
	if asked.Algorithm == "bcrypt" {
		return withBcrypt(asked.Settings["cost"])
	}

	salt := []byte("0123456789abcdef")
	memory, time, lanes := asked.Settings["memory"], asked.Settings["iterations"], asked.Settings["parallelism"]
	derived := func(password string) []byte {
		return xargon2.IDKey([]byte(password), salt, uint32(time), uint32(memory), uint8(lanes), 32)
	}
	key := derived(probe)
	encoded := fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", xargon2.Version, memory, time, lanes,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))

	return stored{encoded, func(password string) bool { return bytes.Equal(derived(password), key) }}
}

func withBcrypt(cost int) stored {
	encoded := must(bcrypt.GenerateFromPassword([]byte(probe), cost))

	return stored{string(encoded), func(password string) bool {
		return bcrypt.CompareHashAndPassword(encoded, []byte(password)) == nil
	}}
}

func of(asked request) stored {
	switch asked.App {
	case "authelia":
		return authelia(asked)
	case "gitea":
		return gitea(asked)
	case "kratos":
		return kratos(asked)
	default:
		return withBcrypt(asked.Settings["cost"])
	}
}

func main() {
	for in := json.NewDecoder(os.Stdin); in.More(); {
		var asked request
		if err := in.Decode(&asked); err != nil {
			panic(err)
		}

		made := of(asked)
		// Times is 0 where nothing is timed: then another password is tried, too.
		for range max(asked.Times, 1) {
			if !made.verify(probe) {
				panic("the service does not verify " + made.hash)
			}
		}

		if asked.Times == 0 && made.verify("another") {
			panic("the service takes another password for " + made.hash)
		}

		fmt.Println(made.hash)
	}
}
