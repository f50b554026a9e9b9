package main

import "golang.org/x/crypto/scrypt"

func init() {
	hashers["x/crypto scrypt"] = func(password, salt []byte, q question) ([]byte, error) {
		p := q.Params
		return scrypt.Key(password, salt, p["n"], p["r"], p["p"], q.Length)
	}
}
