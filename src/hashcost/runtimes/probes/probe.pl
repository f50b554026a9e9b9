# hashcost's probe for Perl 5.14 and newer: core modules, and the application's own.
# Before 5.26, Perl looks for modules in the current folder last; PERL_USE_UNSAFE_INC keeps that.
BEGIN { pop @INC if $INC[-1] eq '.' }
use strict;
use warnings;
use JSON::PP;
use MIME::Base64;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID);

$| = 1;
my $json = JSON::PP->new->canonical;
my %SHA_CRYPT = ('sha256-crypt' => '5', 'sha512-crypt' => '6');

sub version_of {
  my $library = shift;
  return 'crypt(3)' if $library eq 'crypt';
  if ($library eq 'Crypt::Eksblowfish') {
    require Crypt::Eksblowfish::Bcrypt;
    return "Crypt::Eksblowfish $Crypt::Eksblowfish::Bcrypt::VERSION";
  }
  die "unavailable: the probe has no $library\n";
}

sub bcrypt_setting {
  my ($variant, $cost, $salt) = @_;
  my $encoded = encode_base64($salt, '');
  $encoded =~ s/=+$//;
  $encoded =~ tr{A-Za-z0-9+/}{./A-Za-z0-9};
  return sprintf('$%s$%02d$%s', $variant, $cost, $encoded);
}

# What hashes: a function without arguments.
sub ready {
  my $q = shift;
  my ($password, $salt) = map { pack 'H*', $q->{$_} } qw(password salt);
  my $p = $q->{params};
  if ($q->{library} eq 'Crypt::Eksblowfish') {
    my $setting = bcrypt_setting('2a', $p->{cost}, $salt);
    return sub { Crypt::Eksblowfish::Bcrypt::bcrypt($password, $setting) };
  }
  my $setting = $q->{hasher} eq 'bcrypt'
    ? bcrypt_setting('2b', $p->{cost}, $salt)
    : "\$$SHA_CRYPT{$q->{hasher}}\$rounds=$p->{rounds}\$$salt\$";
  return sub { crypt $password, $setting };
}

sub answer {
  my $q = shift;
  my $version = version_of($q->{library});
  return (version => $version, salt => 'given') if $q->{op} eq 'load';
  my $run = ready($q);
  my $system = (times)[1];
  my $wall = clock_gettime(CLOCK_MONOTONIC);
  my $cpu = clock_gettime(CLOCK_PROCESS_CPUTIME_ID);
  my $output = $run->();
  my $spent = clock_gettime(CLOCK_PROCESS_CPUTIME_ID) - $cpu;
  my $elapsed = clock_gettime(CLOCK_MONOTONIC) - $wall;
  return (
    output => unpack('H*', $output // '*'), cpu => $spent, wall => $elapsed,
    system => (times)[1] - $system,
  );
}

sub tell_driver { print $json->encode({@_}), "\n" }

tell_driver(
  hashcost => 1, runtime => sprintf('perl %vd', $^V), pid => $$, clock => 'CLOCK_PROCESS_CPUTIME_ID',
);
while (my $line = <STDIN>) {
  my $q = $json->decode($line);
  last if $q->{op} eq 'bye';
  my %answer = eval { answer($q) };
  if (my $message = $@) {
    $message =~ s/\n.*//s;
    my $absent = $message =~ /^(?:unavailable: |Can't locate)/;
    $message =~ s/^unavailable: | \(you may need.*//g;
    %answer = (error => $absent ? 'unavailable' : 'failed', message => substr $message, 0, 200);
  }
  tell_driver(id => $q->{id}, %answer);
}
