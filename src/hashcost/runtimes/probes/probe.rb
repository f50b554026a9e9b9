# hashcost's probe for Ruby 2.5 and newer: it needs nothing but the application's gems.
require "json"

if (RUBY_VERSION.split(".").map(&:to_i) <=> [2, 5]) < 0
  abort "it needs Ruby 2.5 or newer, not #{RUBY_VERSION}"
end

class Unavailable < StandardError; end

CLOCK = Process::CLOCK_PROCESS_CPUTIME_ID
DIGEST_BYTES = { "sha1" => 20, "sha256" => 32, "sha512" => 64 }.freeze
SHA_CRYPT = { "sha256-crypt" => "5", "sha512-crypt" => "6" }.freeze
STANDARD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".freeze
BCRYPT = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".freeze

def bytes(text)
  [text].pack("H*")
end

def gem_version(name)
  # The gems that a project's Gemfile names, where a project was named.
  require "bundler/setup" if File.directory?(ENV["HASHCOST_PROJECT"].to_s) && File.exist?("Gemfile")
  require name
  found = Gem.loaded_specs[name] || Gem::Specification.find_by_name(name)
  "#{name} #{found.version}"
end

def version_of(library)
  case library
  when "bcrypt", "scrypt", "argon2" then gem_version(library)
  when "openssl"
    require "openssl"
    OpenSSL::OPENSSL_LIBRARY_VERSION.split[0, 2].join(" ")
  when "crypt" then "crypt(3)"
  else raise Unavailable, "the probe has no #{library}"
  end
end

def bcrypt_setting(variant, question)
  encoded = [bytes(question["salt"])].pack("m0").delete("=").tr(STANDARD, BCRYPT)
  format("$%s$%02d$%s", variant, question["params"]["cost"], encoded)
end

# What hashes: something that is called without arguments.
def ready(question)
  password, salt = bytes(question["password"]), bytes(question["salt"])
  library, hasher = question["library"], question["hasher"]
  p, length = question["params"], question["length"]
  case library
  when "bcrypt"
    setting = bcrypt_setting("2a", question)
    -> { BCrypt::Engine.hash_secret(password, setting) }
  when "crypt"
    setting = hasher == "bcrypt" ? bcrypt_setting("2b", question) : "$#{SHA_CRYPT[hasher]}$rounds=#{p["rounds"]}$#{salt}$"
    -> { password.crypt(setting) }
  when "scrypt"
    -> { SCrypt::Engine.scrypt(password, salt, p["n"], p["r"], p["p"], length) }
  when "argon2"
    exponent = Math.log2(p["memory_kib"])
    raise Unavailable, "the gem takes powers of two of memory" unless exponent == exponent.round
    -> { bytes(Argon2::Engine.hash_argon2id(password, salt, p["time_cost"], exponent.round, p["parallelism"], length)) }
  else
    if hasher == "scrypt"
      -> { OpenSSL::KDF.scrypt(password, salt: salt, N: p["n"], r: p["r"], p: p["p"], length: length) }
    else
      digest = hasher[7..-1]
      -> { OpenSSL::KDF.pbkdf2_hmac(password, salt: salt, iterations: p["iterations"], length: DIGEST_BYTES[digest], hash: digest) }
    end
  end
end

def answer(question)
  version = version_of(question["library"])
  return { version: version, salt: "given" } if question["op"] == "load"

  run = ready(question)
  before = Process.times.stime
  wall = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  cpu = Process.clock_gettime(CLOCK)
  output = run.call
  spent = Process.clock_gettime(CLOCK) - cpu
  elapsed = Process.clock_gettime(Process::CLOCK_MONOTONIC) - wall
  { output: output.unpack1("H*"), cpu: spent, wall: elapsed, system: Process.times.stime - before }
end

def say(message)
  $stdout.write("#{JSON.generate(message)}\n")
  $stdout.flush
end

say({ hashcost: 1, runtime: "#{RUBY_ENGINE} #{RUBY_VERSION}", pid: Process.pid, clock: "CLOCK_PROCESS_CPUTIME_ID" })
while (line = $stdin.gets)
  question = JSON.parse(line)
  break if question["op"] == "bye"

  begin
    say({ id: question["id"] }.merge(answer(question)))
  rescue LoadError, StandardError => error
    absent = error.is_a?(LoadError) || error.is_a?(Unavailable)
    message = error.message.lines.first.to_s.strip[0, 200]
    say({ id: question["id"], error: absent ? "unavailable" : "failed", message: message })
  end
end
