<?php
// hashcost's probe for PHP 7.2 and newer: it needs nothing but what the application has.
ini_set('display_errors', 'stderr');
ini_set('memory_limit', '-1');
set_time_limit(0);
set_error_handler(function ($number, $message) { throw new ErrorException($message); });

class Unavailable extends Exception {}

const DIGEST_BYTES = ['sha1' => 20, 'sha256' => 32, 'sha512' => 64];
const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BCRYPT = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const SHA_CRYPT = ['sha256-crypt' => '5', 'sha512-crypt' => '6'];

function load($library, $hasher) {
  $needs = [
    'openssl_pbkdf2' => 'openssl_pbkdf2',
    'sodium' => 'sodium_crypto_pwhash',
    'hash_pbkdf2' => 'hash_pbkdf2',
    'password_hash' => 'password_hash',
    'crypt' => 'crypt',
  ];
  if (!isset($needs[$library])) throw new Unavailable("the probe has no $library");
  if (!function_exists($needs[$library])) throw new Unavailable("this PHP has no {$needs[$library]}()");
  if ($library === 'password_hash' && $hasher === 'argon2id' && !defined('PASSWORD_ARGON2ID')) {
    throw new Unavailable('this PHP was built without argon2');
  }
  if ($library === 'openssl_pbkdf2') return implode(' ', array_slice(explode(' ', OPENSSL_VERSION_TEXT), 0, 2));
  if ($library === 'sodium') return 'libsodium ' . SODIUM_LIBRARY_VERSION;
  return $library;
}

// What hashes: a function without arguments.
function ready($q) {
  $library = $q['library'];
  $hasher = $q['hasher'];
  $password = hex2bin($q['password']);
  $salt = hex2bin($q['salt']);
  $p = $q['params'];
  if ($library === 'password_hash') {
    if ($hasher === 'bcrypt') {
      $options = ['cost' => $p['cost']];
      return function () use ($password, $options) { return password_hash($password, PASSWORD_BCRYPT, $options); };
    }
    $options = ['memory_cost' => $p['memory_kib'], 'time_cost' => $p['time_cost'], 'threads' => $p['parallelism']];
    return function () use ($password, $options) { return password_hash($password, PASSWORD_ARGON2ID, $options); };
  }
  if ($library === 'crypt') {
    $setting = $hasher === 'bcrypt'
      ? sprintf('$2y$%02d$', $p['cost']) . strtr(rtrim(base64_encode($salt), '='), STANDARD, BCRYPT)
      : '$' . SHA_CRYPT[$hasher] . '$rounds=' . $p['rounds'] . '$' . $salt . '$';
    return function () use ($password, $setting) { return crypt($password, $setting); };
  }
  if ($library === 'sodium') {
    $length = $q['length'];
    $memory = $p['memory_kib'] * 1024;
    $passes = $p['time_cost'];
    return function () use ($password, $salt, $length, $memory, $passes) {
      return sodium_crypto_pwhash($length, $password, $salt, $passes, $memory, SODIUM_CRYPTO_PWHASH_ALG_ARGON2ID13);
    };
  }
  $digest = substr($hasher, 7);
  $length = DIGEST_BYTES[$digest];
  $iterations = $p['iterations'];
  if ($library === 'hash_pbkdf2') {
    return function () use ($digest, $password, $salt, $iterations) {
      return hash_pbkdf2($digest, $password, $salt, $iterations, 0, true);
    };
  }
  return function () use ($digest, $password, $salt, $iterations, $length) {
    return openssl_pbkdf2($password, $salt, $length, $iterations, $digest);
  };
}

function usage() {
  $r = getrusage();
  $system = $r['ru_stime.tv_sec'] + $r['ru_stime.tv_usec'] / 1e6;
  return [$r['ru_utime.tv_sec'] + $r['ru_utime.tv_usec'] / 1e6 + $system, $system, $r['ru_minflt']];
}

function now() { return function_exists('hrtime') ? hrtime(true) / 1e9 : microtime(true); }

function answer($q) {
  $version = load($q['library'], $q['hasher']);
  if ($q['op'] === 'load') return ['version' => $version, 'salt' => $q['library'] === 'password_hash' ? 'own' : 'given'];
  if ($q['op'] === 'verify') return ['match' => password_verify(hex2bin($q['password']), hex2bin($q['stored']))];
  $run = ready($q);
  $wall = now();
  [$cpu, $system, $faults] = usage();
  $output = $run();
  $after = usage();
  $elapsed = now() - $wall;
  return [
    'output' => bin2hex($output), 'cpu' => $after[0] - $cpu, 'wall' => $elapsed,
    'system' => max(0, $after[1] - $system), 'faults' => $after[2] - $faults,
  ];
}

function say($message) {
  fwrite(STDOUT, json_encode($message, JSON_UNESCAPED_SLASHES) . "\n");
  fflush(STDOUT);
}

say(['hashcost' => 1, 'runtime' => 'php ' . PHP_VERSION, 'pid' => getmypid(), 'clock' => 'getrusage']);
while (($line = fgets(STDIN)) !== false) {
  $q = json_decode($line, true);
  if ($q['op'] === 'bye') break;
  try {
    say(['id' => $q['id']] + answer($q));
  } catch (Throwable $error) {
    $absent = $error instanceof Unavailable;
    $message = substr(strtok($error->getMessage() . "\n", "\n"), 0, 200);
    say(['id' => $q['id'], 'error' => $absent ? 'unavailable' : 'failed', 'message' => $message]);
  }
}
