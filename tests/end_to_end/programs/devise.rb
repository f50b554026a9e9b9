require 'rails'
require 'devise'
{snippet}
hash = Devise::Encryptor.digest(Devise, '{password}')
puts hash
puts Devise::Encryptor.compare(Devise, hash, '{password}')
