import com.password4j.BcryptFunction;
import com.password4j.SystemChecker;
import com.password4j.types.Bcrypt;
import de.mkammerer.argon2.Argon2;
import de.mkammerer.argon2.Argon2Factory;
import de.mkammerer.argon2.Argon2Helper;
import java.util.Scanner;

/** Asks a library for the cost of so many milliseconds; without them, hashes for each line of costs. */
class Peers {
  static final String PROBE = "probe-pass12";

  public static void main(String[] arguments) {
    boolean bcrypt = arguments[0].equals("password4j");
    Argon2 argon2 = bcrypt ? null : Argon2Factory.create(Argon2Factory.Argon2Types.ARGON2id);
    if (arguments.length > 1) {
      int milliseconds = Integer.parseInt(arguments[1]);
      System.out.println(bcrypt
          ? SystemChecker.benchmarkBcrypt(milliseconds).getPrototype().getLogarithmicRounds()
          : Argon2Helper.findIterations(argon2, milliseconds, 65536, 1));
      return;
    }
    for (Scanner in = new Scanner(System.in); in.hasNextInt(); ) {
      int cost = in.nextInt();
      System.out.println(bcrypt
          ? BcryptFunction.getInstance(Bcrypt.B, cost).hash(PROBE).getResult()
          : argon2.hash(cost, 65536, 1, PROBE.toCharArray()));
    }
  }
}
