# Verifies a password with the gem bcrypt, and hashes as Foreman does with PBKDF2, a line of JSON each.
require "json"
require "openssl"

$stdout.sync = true
stored = {}
while (line = $stdin.gets)
  asked = JSON.parse(line)
  if asked["hasher"] == "bcrypt"
    require "bcrypt"
    cost = asked["params"]["cost"]
    hash = stored[cost] ||= BCrypt::Password.create("probe-pass12", cost: cost)
    asked["times"].times { hash == "probe-pass12" or raise "it does not verify its own hash" }
  else
    iterations = asked["params"]["iterations"]
    asked["times"].times { OpenSSL::PKCS5.pbkdf2_hmac_sha1("probe-pass12", "QPONMLKJIHGFedcb", iterations, 39) }
  end
  puts "done"
end
