// Hashes with Node's crypto and the bcrypt and bcryptjs of npm, a line of JSON each.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import crypto from "node:crypto";

const require = createRequire(process.cwd() + "/");
const password = "probe-pass12", salt = "QPONMLKJIHGFedcb";

function ready(hasher, params) {
  if (hasher === "scrypt") {
    const options = { N: params.n, r: params.r, p: params.p, maxmem: 2 ** 31 - 1 };
    return () => crypto.scryptSync(password, salt, 64, options);
  }
  if (hasher.startsWith("pbkdf2-")) {
    const digest = hasher.slice(7);
    const length = crypto.createHash(digest).digest().length;
    return () => crypto.pbkdf2Sync(password, salt, params.iterations, length, digest);
  }
  const library = require(hasher);
  const stored = library.hashSync(password, params.cost);
  return () => {
    if (!library.compareSync(password, stored)) throw new Error("it does not verify its own hash");
  };
}

const calls = {};
for await (const line of createInterface({ input: process.stdin })) {
  const { hasher, params, times } = JSON.parse(line);
  const call = (calls[hasher + JSON.stringify(params)] ??= ready(hasher, params));
  for (let left = times; left > 0; left--) call();
  console.log("done");
}
