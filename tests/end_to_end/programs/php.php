<?php
$password = '{password}';
{snippet}
echo "$hash\n", json_encode(password_verify($password, $hash));
