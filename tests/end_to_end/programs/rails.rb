require 'bcrypt'
{snippet}
hash = BCrypt::Password.create('{password}')
puts hash.to_s
puts BCrypt::Password.new(hash.to_s) == '{password}'
