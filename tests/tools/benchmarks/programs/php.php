<?php
// Verifies a password with password_verify, a line of JSON each.
$stored = [];
while ($line = fgets(STDIN)) {
    $asked = json_decode($line, true);
    $params = $asked["params"];
    $key = json_encode([$asked["hasher"], $params]);
    if ($asked["hasher"] === "bcrypt") {
        $stored[$key] ??= password_hash("probe-pass12", PASSWORD_BCRYPT, ["cost" => $params["cost"]]);
    } else {
        $stored[$key] ??= password_hash("probe-pass12", PASSWORD_ARGON2ID, [
            "memory_cost" => $params["memory_kib"],
            "time_cost" => $params["time_cost"],
            "threads" => $params["parallelism"],
        ]);
    }
    for ($left = $asked["times"]; $left > 0; $left--) {
        password_verify("probe-pass12", $stored[$key]) or exit(1);
    }
    echo "done\n";
}
