package main

import "golang.org/x/crypto/argon2"

func init() {
	hashers["x/crypto argon2id"] = func(password, salt []byte, q question) ([]byte, error) {
		passes, memory := uint32(q.Params["time_cost"]), uint32(q.Params["memory_kib"])
		lanes := uint8(q.Params["parallelism"])
		return argon2.IDKey(password, salt, passes, memory, lanes, uint32(q.Length)), nil
	}
}
