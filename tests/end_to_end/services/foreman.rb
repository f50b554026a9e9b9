require "bcrypt"
require "openssl"
require "securerandom"
# As Foreman's app/services/foreman/password_hash.rb.
algorithm, cost = ARGV[0], ARGV[1].to_i
if algorithm == "bcrypt"
  stored = BCrypt::Engine.hash_secret("probe-pass12", BCrypt::Engine.generate_salt(cost))
  raise unless BCrypt::Password.new(stored) == "probe-pass12"
else
  salt = SecureRandom.base64(39)
  hash = OpenSSL::PKCS5.pbkdf2_hmac_sha1("probe-pass12", salt, cost, 39)
  stored = "$pbkdf2sha1$#{cost}$#{salt}$#{[hash].pack("m0")}"
end
puts stored
