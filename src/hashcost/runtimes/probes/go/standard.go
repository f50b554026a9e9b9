//go:build go1.24

package main

import "crypto/pbkdf2"

func init() {
	for name, digest := range digests {
		digest := digest // Before Go 1.22 there is one for all.
		hashers["crypto pbkdf2-"+name] = func(password, salt []byte, q question) ([]byte, error) {
			return pbkdf2.Key(digest, string(password), salt, q.Params["iterations"], q.Length)
		}
	}
}
