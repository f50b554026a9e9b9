import bcrypt from "bcrypt";
import { pbkdf2Sync } from "node:crypto";

const ITERATIONS = 100_000;

export function derived(password, salt) {
  return pbkdf2Sync(password, salt, ITERATIONS, 32, "sha256");
}

export async function stored(password) {
  return bcrypt.hash(password, 10);
}
