// Hashes and verifies a password with the libraries of services written in Go. Each line of
// standard input is a JSON object of what was read from a configuration; each line of output
// the hash that the service would store.
package main

import (
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
}

func must[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}

	return made
}

func verified(right bool, stored string) string {
	if !right {
		panic("the service does not verify " + stored)
	}

	return stored
}

// authelia does what internal/authentication/file_user_provider.go does with the settings.
func authelia(asked request) string {
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

	stored := must(hasher.Hash(probe)).Encode()

	return verified(must(crypt.CheckPassword(probe, stored)), stored)
}

// gitea stores the algorithm's specification in a column of its own, and bcrypt in its own form.
func gitea(asked request) string {
	specification, hasher := hash.SetDefaultPasswordHashAlgorithm(asked.Algorithm)
	if hasher == nil {
		panic("Gitea does not know " + asked.Algorithm)
	}

	salt := hex.EncodeToString([]byte("0123456789abcdef"))
	stored := must(hasher.Hash(probe, salt))
	again := hash.Parse(specification)
	verified(again.VerifyPassword(probe, stored, salt), stored)
	verified(!again.VerifyPassword("another", stored, salt), stored)

	if strings.HasPrefix(stored, "$2") {
		return stored
	}

	return fmt.Sprintf("%s:%d", specification, len(stored)/2)
}

// kratos does what hash/hasher_bcrypt.go and hash/hasher_argon2.go do.
func kratos(asked request) string {
	if asked.Algorithm == "bcrypt" {
		return withBcrypt(asked.Settings["cost"])
	}

	salt := []byte("0123456789abcdef")
	memory, time, lanes := asked.Settings["memory"], asked.Settings["iterations"], asked.Settings["parallelism"]
	key := xargon2.IDKey([]byte(probe), salt, uint32(time), uint32(memory), uint8(lanes), 32)

	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", xargon2.Version, memory, time, lanes,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}

func withBcrypt(cost int) string {
	stored := must(bcrypt.GenerateFromPassword([]byte(probe), cost))

	return verified(bcrypt.CompareHashAndPassword(stored, []byte(probe)) == nil, string(stored))
}

func main() {
	for in := json.NewDecoder(os.Stdin); in.More(); {
		var asked request
		if err := in.Decode(&asked); err != nil {
			panic(err)
		}

		switch asked.App {
		case "authelia":
			fmt.Println(authelia(asked))
		case "gitea":
			fmt.Println(gitea(asked))
		case "kratos":
			fmt.Println(kratos(asked))
		default:
			fmt.Println(withBcrypt(asked.Settings["cost"]))
		}
	}
}
