<?php
require '{needed}';
preg_match_all('/^([A-Z_]+)=(.*)$/m', file_get_contents('snippet'), $lines);
$env = array_combine($lines[1], $lines[2]);
$hasher = new Illuminate\Hashing\BcryptHasher(['rounds' => (int) $env['BCRYPT_ROUNDS']]);
$hash = $hasher->make('{password}');
echo "$hash\n", json_encode($hasher->check('{password}', $hash));
