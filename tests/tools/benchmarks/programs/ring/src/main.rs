//! Hashes with ring, as Vaultwarden does: each line of input says how many hashes, and their iterations.

use ring::pbkdf2::{derive, PBKDF2_HMAC_SHA256};
use std::num::NonZeroU32;

fn main() {
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (times, iterations) = line.split_once(' ').unwrap();
        let iterations = NonZeroU32::new(iterations.parse().unwrap()).unwrap();
        let mut key = [0; 32];
        for _ in 0..times.parse::<u32>().unwrap() {
            derive(PBKDF2_HMAC_SHA256, iterations, b"QPONMLKJIHGFedcb", b"probe-pass12", &mut key);
        }
        println!("{}", key[0]);
    }
}
