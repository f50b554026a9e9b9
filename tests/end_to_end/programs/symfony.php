<?php
require '{needed}';
$config = json_decode(file_get_contents('snippet'), true);
$factory = new Symfony\Component\PasswordHasher\Hasher\PasswordHasherFactory(
  ['user' => $config]);
$hasher = $factory->getPasswordHasher('user');
$hash = $hasher->hash('{password}');
echo "$hash\n", json_encode($hasher->verify($hash, '{password}'));
