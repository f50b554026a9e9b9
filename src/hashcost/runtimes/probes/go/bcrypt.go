package main

import "golang.org/x/crypto/bcrypt"

func init() {
	hashers["x/crypto bcrypt"] = func(password, _ []byte, q question) ([]byte, error) {
		return bcrypt.GenerateFromPassword(password, q.Params["cost"])
	}
	verifiers["x/crypto bcrypt"] = func(password, stored []byte) bool {
		return bcrypt.CompareHashAndPassword(stored, password) == nil
	}
}
