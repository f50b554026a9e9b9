import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.bouncycastle.crypto.Digest;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.digests.SHA512Digest;
import org.bouncycastle.crypto.generators.PKCS5S2ParametersGenerator;
import org.bouncycastle.crypto.params.KeyParameter;

/** Hashes as an application does, and prints what a hash takes: java -cp JARS Plain.java WHAT COST */
public class Plain {
    static byte[] hash(String what, int iterations) throws Exception {
        byte[] salt = "abcdefghIJKLMOPQ".getBytes("UTF-8");
        if (what.startsWith("jca")) {
            PBEKeySpec spec = new PBEKeySpec("probe-pass12".toCharArray(), salt, iterations, 256);
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
        }
        Digest digest = what.endsWith("512") ? new SHA512Digest() : new SHA256Digest();
        PKCS5S2ParametersGenerator generator = new PKCS5S2ParametersGenerator(digest);
        generator.init("probe-pass12".getBytes("UTF-8"), salt, iterations);
        return ((KeyParameter) generator.generateDerivedMacParameters(8 * digest.getDigestSize())).getKey();
    }

    public static void main(String[] arguments) throws Exception {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        int iterations = Integer.parseInt(arguments[1]);
        for (long end = System.nanoTime() + 5_000_000_000L; System.nanoTime() < end; ) {
            hash(arguments[0], iterations);
        }
        long[] spent = new long[50];
        for (int i = 0; i < spent.length; i++) {
            long before = clock.getCurrentThreadCpuTime();
            hash(arguments[0], iterations);
            spent[i] = clock.getCurrentThreadCpuTime() - before;
        }
        System.out.println(Arrays.toString(spent));
    }
}
