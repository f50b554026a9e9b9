// An application that hashes with each package of x/crypto that is measured.
package main

import (
	_ "golang.org/x/crypto/argon2"
	_ "golang.org/x/crypto/bcrypt"
	_ "golang.org/x/crypto/pbkdf2"
	_ "golang.org/x/crypto/scrypt"
)

func main() {}
