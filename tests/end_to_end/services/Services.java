import com.password4j.Argon2Function;
import com.password4j.BcryptFunction;
import com.password4j.CompressedPBKDF2Function;
import com.password4j.HashingFunction;
import com.password4j.Password;
import com.password4j.types.Argon2;
import com.password4j.types.Bcrypt;
import java.util.Scanner;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import org.apache.kafka.common.security.scram.ScramCredential;
import org.apache.kafka.common.security.scram.internals.ScramCredentialUtils;
import org.apache.kafka.common.security.scram.internals.ScramFormatter;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;
import org.elasticsearch.common.settings.SecureString;
import org.elasticsearch.xpack.core.security.authc.support.Hasher;
import org.keycloak.common.crypto.CryptoIntegration;
import org.keycloak.credential.hash.PasswordHashProvider;
import org.keycloak.credential.hash.Pbkdf2PasswordHashProviderFactory;
import org.keycloak.credential.hash.Pbkdf2Sha256PasswordHashProviderFactory;
import org.keycloak.credential.hash.Pbkdf2Sha512PasswordHashProviderFactory;
import org.keycloak.crypto.hash.Argon2PasswordHashProvider;

/**
 * Hashes and verifies a password with the libraries of services written in Java: a line of words
 * each. The first word says how often the hash is verified.
 */
class Services {
  static final String PROBE = "probe-pass12";

  /** What a service stores, and how it verifies the password. */
  record Stored(String hash, Callable<Boolean> verify) {}

  static Stored openSearch(String[] asked) {
    HashingFunction function = switch (asked[1]) {
      case "bcrypt" -> BcryptFunction.getInstance(Bcrypt.Y, Integer.parseInt(asked[2]));
      case "pbkdf2" -> CompressedPBKDF2Function.getInstance(asked[2], Integer.parseInt(asked[3]), Integer.parseInt(asked[4]));
      default -> Argon2Function.getInstance(Integer.parseInt(asked[2]), Integer.parseInt(asked[3]), Integer.parseInt(asked[4]), 32, Argon2.ID, 19);
    };
    var hash = asked[1].equals("bcrypt") ? Password.hash(PROBE) : Password.hash(PROBE).addRandomSalt();
    String stored = hash.with(function).getResult();
    return new Stored(stored, () -> Password.check(PROBE, stored).with(function));
  }

  static Stored elasticsearch(String[] asked) {
    Hasher hasher = Hasher.resolve(asked[1]);
    char[] stored = hasher.hash(new SecureString(PROBE.toCharArray()));
    return new Stored(new String(stored), () -> Hasher.verifyHash(new SecureString(PROBE.toCharArray()), stored));
  }

  static Stored keycloak(String[] asked) throws Exception {
    CryptoIntegration.init(Services.class.getClassLoader());
    PasswordHashProvider provider = switch (asked[1]) {
      case "pbkdf2" -> new Pbkdf2PasswordHashProviderFactory().create(null);
      case "pbkdf2-sha256" -> new Pbkdf2Sha256PasswordHashProviderFactory().create(null);
      case "argon2" -> argon2(asked);
      default -> new Pbkdf2Sha512PasswordHashProviderFactory().create(null);
    };
    int iterations = asked[1].equals("argon2") ? -1 : Integer.parseInt(asked[2]);
    var stored = provider.encodedCredential(PROBE, iterations);
    return new Stored(stored.getCredentialData(), () -> provider.verify(PROBE, stored));
  }

  /** With the server's options, which a Config.Scope would hold. */
  static PasswordHashProvider argon2(String[] asked) {
    return new Argon2PasswordHashProvider("1.3", "id", 32, Integer.parseInt(asked[2]),
        Integer.parseInt(asked[3]), Integer.parseInt(asked[4]), new Semaphore(1));
  }

  static Stored kafka(String[] asked) throws Exception {
    ScramFormatter formatter = new ScramFormatter(ScramMechanism.forMechanismName(asked[1]));
    ScramCredential stored = formatter.generateCredential(PROBE, Integer.parseInt(asked[2]));
    return new Stored(ScramCredentialUtils.credentialToString(stored), () -> {
      byte[] salted = formatter.saltedPassword(PROBE, stored.salt(), stored.iterations());
      return java.util.Arrays.equals(formatter.storedKey(formatter.clientKey(salted)), stored.storedKey());
    });
  }

  static Stored stored(String[] asked) throws Exception {
    return switch (asked[0]) {
      case "opensearch" -> openSearch(asked);
      case "elasticsearch" -> elasticsearch(asked);
      case "keycloak" -> keycloak(asked);
      default -> kafka(asked);
    };
  }

  public static void main(String[] arguments) throws Exception {
    for (Scanner in = new Scanner(System.in); in.hasNextLine(); ) {
      String[] words = in.nextLine().split(" ", 2);
      Stored stored = stored(words[1].split(" "));
      for (int left = Integer.parseInt(words[0]); left > 0; left--)
        if (!stored.verify().call()) throw new IllegalStateException("the service does not verify " + stored.hash());
      System.out.println(stored.hash());
    }
  }
}
