"use strict";
// hashcost's probe for Node.js 16 and newer: it needs nothing but the application's libraries.
if (parseInt(process.versions.node, 10) < 16) {
  console.error("it needs Node.js 16 or newer, not " + process.versions.node);
  process.exit(1);
}
const path = require("path");
const crypto = require("crypto");
const { createRequire } = require("module");
const { pathToFileURL } = require("url");

// Without a project, the libraries are those of NODE_PATH, never what the current folder has.
const project = process.env.HASHCOST_PROJECT;
const fromProject = createRequire(project ? path.resolve(project, "probe.js") : process.execPath);
const bytes = (text) => Buffer.from(text, "hex");
const DIGEST_BYTES = { sha1: 20, sha256: 32, sha512: 64 };
const STANDARD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BCRYPT = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

class Unavailable extends Error {}

const setting = (q) => "$2b$" + String(q.params.cost).padStart(2, "0") + "$" +
  bytes(q.salt).toString("base64").replace(/=+$/, "")
    .replace(/./g, (c) => BCRYPT[STANDARD.indexOf(c)]);

async function imported(name) {
  try {
    return fromProject(name);
  } catch (error) {
    if (error.code !== "ERR_REQUIRE_ESM") throw error;
  }
  const found = await import(pathToFileURL(fromProject.resolve(name)).href);
  return found.default || found;
}

function versionOf(name) {
  let folder = path.dirname(fromProject.resolve(name));
  for (; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    try {
      const found = JSON.parse(require("fs").readFileSync(path.join(folder, "package.json")));
      if (found.name === name) return `${name} ${found.version}`;
    } catch { /* Further up. */ }
  }
  return name;
}

// What hashes, of a library, a question and a version: a function without arguments.
const READY = {
  crypto: (_, q) => {
    const [password, salt, p] = [bytes(q.password), bytes(q.salt), q.params];
    if (q.hasher.startsWith("pbkdf2-")) {
      const digest = q.hasher.slice(7);
      return () => crypto.pbkdf2Sync(password, salt, p.iterations, DIGEST_BYTES[digest], digest);
    }
    if (q.hasher === "scrypt") {
      const options = { N: p.n, r: p.r, p: p.p, maxmem: 128 * p.r * (p.n + p.p + 2) };
      return () => crypto.scryptSync(password, salt, q.length, options);
    }
    const options = {
      message: password, nonce: salt, parallelism: p.parallelism, tagLength: q.length,
      memory: p.memory_kib, passes: p.time_cost,
    };
    return () => crypto.argon2Sync("argon2id", options);
  },
  bcrypt: (library, q) => {
    const [password, salted] = [bytes(q.password), setting(q)];
    return () => library.hashSync(password, salted);
  },
  bcryptjs: (library, q) => {
    const [password, salted] = [bytes(q.password).toString(), setting(q)];
    return () => library.hashSync(password, salted);
  },
  "@node-rs/bcrypt": (library, q, version) => {
    const [password, salt, cost] = [bytes(q.password), bytes(q.salt), q.params.cost];
    // Version 2 takes options, version 1 the cost and the salt one after the other.
    const given = / [01]\./.test(version) ? [cost, salt] : [{ cost, salt }];
    return () => library.hashSync(password, ...given);
  },
  argon2: (library, q) => {
    const p = q.params;
    const password = bytes(q.password);
    const options = {
      type: library.argon2id, raw: true, salt: bytes(q.salt), hashLength: q.length,
      memoryCost: p.memory_kib, timeCost: p.time_cost, parallelism: p.parallelism,
    };
    return () => library.hash(password, options);
  },
  "@node-rs/argon2": (library, q) => {
    const p = q.params;
    const password = bytes(q.password);
    const options = {
      algorithm: 2, salt: bytes(q.salt), outputLen: q.length,
      memoryCost: p.memory_kib, timeCost: p.time_cost, parallelism: p.parallelism,
    };
    return () => library.hashRawSync(password, options);
  },
};

const loaded = {};
async function load(q) {
  if (!READY[q.library]) throw new Unavailable(`the probe has no ${q.library}`);
  if (q.library === "crypto") {
    if (q.hasher === "argon2id" && !crypto.argon2Sync) {
      throw new Unavailable(`crypto.argon2 needs Node 24.7 or newer, not ${process.versions.node}`);
    }
    return { version: `OpenSSL ${process.versions.openssl}` };
  }
  if (!loaded[q.library]) {
    loaded[q.library] = { library: await imported(q.library), version: versionOf(q.library) };
  }
  return loaded[q.library];
}

async function answer(q) {
  const { library, version } = await load(q);
  if (q.op === "load") return { version, salt: "given" };
  const run = READY[q.library](library, q, version);
  // process.threadCpuUsage() is a sampled clock, off by up to a tick; the process's is exact.
  const before = process.resourceUsage();
  const wall = process.hrtime.bigint();
  const cpu = process.cpuUsage();
  let output = run();
  if (output instanceof Promise) output = await output;
  const spent = process.cpuUsage(cpu);
  const elapsed = Number(process.hrtime.bigint() - wall) / 1e9;
  const after = process.resourceUsage();
  return {
    output: Buffer.from(output).toString("hex"),
    cpu: (spent.user + spent.system) / 1e6, wall: elapsed,
    system: spent.system / 1e6, faults: after.minorPageFault - before.minorPageFault,
  };
}

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");
const ABSENT = ["MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"];
async function serve(line) {
  const q = JSON.parse(line);
  if (q.op === "bye") process.exit(0);
  try {
    say({ id: q.id, ...(await answer(q)) });
  } catch (error) {
    const absent = error instanceof Unavailable || ABSENT.includes(error.code);
    const message = String(error.message).split("\n")[0].slice(0, 200);
    say({ id: q.id, error: absent ? "unavailable" : "failed", message });
  }
}

let last = Promise.resolve();
require("readline").createInterface({ input: process.stdin })
  .on("line", (line) => { last = last.then(() => serve(line)); })
  .on("close", () => last.then(() => process.exit(0)));
say({
  hashcost: 1, runtime: `node ${process.versions.node}`, pid: process.pid,
  clock: "process.cpuUsage",
});
