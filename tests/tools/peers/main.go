// Hashes with x/crypto's argon2id, once for each line of KiB, passes and lanes.
package main

import (
	"bufio"
	"fmt"
	"os"

	"golang.org/x/crypto/argon2"
)

func main() {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var memory, passes uint32
		var lanes uint8
		if _, err := fmt.Sscan(in.Text(), &memory, &passes, &lanes); err != nil {
			panic(err)
		}
		fmt.Println(len(argon2.IDKey([]byte("probe-pass12"), []byte("QPONMLKJIHGFedcb"), passes, memory, lanes, 32)))
	}
}
