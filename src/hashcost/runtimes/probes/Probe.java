import java.io.BufferedReader;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.NoSuchAlgorithmException;
import java.security.spec.KeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** hashcost's probe for Java 8 and newer: one class, which finds the application's libraries. */
public class Probe {
    static final Pattern NESTED = Pattern.compile(
            "(?:BOOT|WEB)-INF/lib/(?:spring-(?:security-crypto|core|jcl)|commons-(?:logging|lang3)"
            + "|bcprov|bcutil|jbcrypt|bcrypt|bytes|password4j|slf4j-api)-[^/]*\\.jar");
    static final String[] CLASSES = {
        "", "target/classes", "build/classes/java/main", "build/classes/kotlin/main",
        "BOOT-INF/classes", "WEB-INF/classes",
    };
    static final String[] JARS = {
        "", "lib", "libs", "BOOT-INF/lib", "WEB-INF/lib", "target", "target/dependency",
        "target/lib", "target/libs", "build/libs", "build/install/*/lib",
    };
    static final char[] DIGITS = "0123456789abcdef".toCharArray();
    static final String OF_BCRYPT =
            "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    static final String SPRING = "org.springframework.security.crypto.";
    static final String BOUNCY = "org.bouncycastle.crypto.";
    static final String PASSWORD4J = "com.password4j.";
    static final String JBCRYPT = "org.mindrot.jbcrypt.BCrypt";
    static final String FAVRE = "at.favre.lib.crypto.bcrypt.BCrypt";
    static final String PBKDF2 = "PBKDF2WithHmacSHA";
    static final String FOLDER = System.getenv("HASHCOST_FOLDER");
    static final String PROJECT = System.getenv("HASHCOST_PROJECT");
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();
    static final boolean COMPILER_TELLS =
            COMPILER != null && COMPILER.isCompilationTimeMonitoringSupported();
    static final RandomAccessFile STATUS = opened("/proc/thread-self/stat");
    static final byte[] TOLD = new byte[4096];
    static final String TASKS = "/proc/self/task/";
    static final Map<String, RandomAccessFile> COMPILERS = new HashMap<>();
    static final Map<String, String> WAITS = new HashMap<>();

    static ClassLoader loader = Probe.class.getClassLoader();
    static long looked = System.nanoTime(), counted, worked;
    static boolean shown;
    static boolean mayAskMaven = PROJECT != null && new File(PROJECT, "pom.xml").exists();

    // Where the application's libraries are.

    /** The class path that the environment names, and what a project has built or fetched. */
    static List<Path> classPath() throws IOException {
        List<Path> found = entries(System.getenv("CLASSPATH"));
        if (PROJECT == null) return found; // Nothing of the current folder is loaded.
        Path project = Paths.get(PROJECT);
        if (Files.isRegularFile(project)) found.add(project);
        for (String each : CLASSES) {
            if (Files.isDirectory(project.resolve(each))) found.add(project.resolve(each));
        }
        for (String each : JARS) found.addAll(jars(project, each));
        return found;
    }

    static List<Path> entries(String classPath) throws IOException {
        List<Path> found = new ArrayList<>();
        if (classPath == null) return found;
        for (String each : classPath.trim().split(File.pathSeparator)) {
            if (each.endsWith("*")) {
                found.addAll(jars(Paths.get(each.substring(0, each.length() - 1)), ""));
            } else if (!each.isEmpty()) {
                found.add(Paths.get(each));
            }
        }
        return found;
    }

    static List<Path> jars(Path folder, String within) throws IOException {
        List<Path> found = new ArrayList<>();
        int star = within.indexOf('*');
        if (star >= 0) {
            for (Path each : listed(folder.resolve(within.substring(0, star)), "*")) {
                found.addAll(jars(each, within.substring(star + 2)));
            }
            return found;
        }
        return listed(folder.resolve(within), "*.[jw]ar");
    }

    static List<Path> listed(Path folder, String glob) throws IOException {
        List<Path> found = new ArrayList<>();
        if (!Files.isDirectory(folder)) return found;
        try (DirectoryStream<Path> within = Files.newDirectoryStream(folder, glob)) {
            for (Path each : within) found.add(each);
        }
        found.sort(null);
        return found;
    }

    /** What loads classes from there. Of a jar within a jar, a copy is opened and unlinked. */
    static ClassLoader over(List<Path> paths) throws IOException {
        List<URL> urls = new ArrayList<>();
        List<Path> copies = new ArrayList<>();
        for (Path path : paths) {
            urls.add(path.toUri().toURL());
            if (Files.isRegularFile(path)) copies.addAll(unpacked(path));
        }
        for (Path each : copies) urls.add(each.toUri().toURL());
        ClassLoader found = new URLClassLoader(urls.toArray(new URL[0]), loader);
        found.getResource("opens/every/jar");
        for (Path each : copies) Files.delete(each);
        return found;
    }

    static List<Path> unpacked(Path path) throws IOException {
        List<Path> copies = new ArrayList<>();
        if (FOLDER == null) return copies;
        try (ZipFile jar = new ZipFile(path.toFile())) {
            for (Enumeration<? extends ZipEntry> all = jar.entries(); all.hasMoreElements(); ) {
                ZipEntry entry = all.nextElement();
                if (!NESTED.matcher(entry.getName()).matches()) continue;
                Path copy = Paths.get(FOLDER).resolve(Paths.get(entry.getName()).getFileName());
                if (Files.exists(copy)) continue;
                Files.copy(jar.getInputStream(entry), copy);
                copies.add(copy);
            }
        } catch (ZipException e) {
            return copies; // It is no jar.
        }
        return copies;
    }

    /** A class of a library. Maven is asked for the class path only if nothing else has it. */
    static Class<?> of(String name) throws Exception {
        try {
            return Class.forName(name, true, loader);
        } catch (ClassNotFoundException e) {
            if (!mayAskMaven) throw e;
            mayAskMaven = false;
            loader = over(entries(byMaven()));
            return Class.forName(name, true, loader);
        }
    }

    static String byMaven() throws Exception {
        File told = File.createTempFile("hashcost", null);
        try {
            // Offline, because nothing is to be fetched unasked.
            ProcessBuilder maven = new ProcessBuilder(
                    "mvn", "-q", "-B", "-o", "dependency:build-classpath",
                    "-DincludeScope=runtime", "-Dmdep.outputFile=" + told);
            maven.redirectErrorStream(true).redirectOutput(new File("/dev/null"));
            maven.directory(new File(PROJECT)).start().waitFor();
            return new String(Files.readAllBytes(told.toPath()), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return ""; // There is no Maven here.
        } finally {
            told.delete();
        }
    }

    /** The name of a library's jar, which holds its version. */
    static String jarOf(Class<?> found) throws Exception {
        URL place = found.getProtectionDomain().getCodeSource().getLocation();
        String name = new File(place.toURI()).getName().replaceAll("\\.jar$", "");
        Package of = found.getPackage();
        String version = of == null ? null : of.getImplementationVersion();
        return version == null || name.contains(version) ? name : name + " " + version;
    }

    // The hashes: all that can be looked up or made before the clock is.

    static String load(String library) throws Exception {
        switch (library) {
            case "jca":
                return SecretKeyFactory.getInstance(PBKDF2 + "256").getProvider().getName();
            case "spring": return jarOf(of(SPRING + "bcrypt.BCrypt"));
            case "bouncycastle": return jarOf(of(BOUNCY + "generators.OpenBSDBCrypt"));
            case "jbcrypt": return jarOf(of(JBCRYPT));
            case "favre": return jarOf(of(FAVRE));
            case "password4j": return jarOf(of(PASSWORD4J + "Password"));
            default: throw new NoSuchAlgorithmException("the probe has no " + library);
        }
    }

    static Callable<Object> ready(Map<String, String> q) throws Exception {
        String library = q.get("library"), hasher = q.get("hasher");
        Callable<Object> hash = null;
        if (hasher.equals("bcrypt")) hash = bcrypt(library, q);
        if (hasher.equals("scrypt")) hash = scrypt(library, q);
        if (hasher.equals("argon2id")) hash = argon2(library, q);
        if (hasher.startsWith("pbkdf2-sha")) hash = pbkdf2(library, hasher.substring(10), q);
        if (hash == null) throw new NoSuchAlgorithmException(library + " has no " + hasher);
        return hash;
    }

    static Callable<Object> bcrypt(String library, Map<String, String> q) throws Exception {
        byte[] password = bytes(q.get("password")), salt = bytes(q.get("salt"));
        int cost = number(q, "cost");
        String setting = setting(salt, cost);
        switch (library) {
            case "spring":
            case "jbcrypt": {
                Class<?> type = of(library.equals("spring") ? SPRING + "bcrypt.BCrypt" : JBCRYPT);
                Method hash = type.getMethod("hashpw", String.class, String.class);
                String written = text(password);
                return () -> hash.invoke(null, written, setting);
            }
            case "favre": {
                Object hasher = of(FAVRE).getMethod("withDefaults").invoke(null);
                Method hash =
                        hasher.getClass().getMethod("hash", int.class, byte[].class, byte[].class);
                return () -> hash.invoke(hasher, cost, salt, password);
            }
            case "bouncycastle": {
                Method hash = of(BOUNCY + "generators.OpenBSDBCrypt")
                        .getMethod("generate", char[].class, byte[].class, int.class);
                char[] characters = text(password).toCharArray();
                return () -> hash.invoke(null, characters, salt, cost);
            }
            case "password4j": {
                Object type = of(PASSWORD4J + "types.Bcrypt").getField("A").get(null);
                byte[] written = setting.getBytes(StandardCharsets.UTF_8);
                return password4j("getResult", password, written, "Bcrypt", type, cost);
            }
            default: return null;
        }
    }

    static Callable<Object> pbkdf2(String library, String digest, Map<String, String> q)
            throws Exception {
        byte[] password = bytes(q.get("password")), salt = bytes(q.get("salt"));
        int iterations = number(q, "iterations"), bits = 8 * number(q, "length");
        switch (library) {
            case "jca": {
                SecretKeyFactory factory = SecretKeyFactory.getInstance(PBKDF2 + digest);
                KeySpec spec = new PBEKeySpec(text(password).toCharArray(), salt, iterations, bits);
                return () -> factory.generateSecret(spec).getEncoded();
            }
            case "spring": {
                Class<?> encoder = of(SPRING + "password.Pbkdf2PasswordEncoder");
                Class<?> digests = of(encoder.getName() + "$SecretKeyFactoryAlgorithm");
                Object chosen = digests.getField(PBKDF2 + digest).get(null);
                return spring(q, encoder
                        .getConstructor(CharSequence.class, int.class, int.class, digests)
                        .newInstance("", 1, iterations, chosen));
            }
            case "bouncycastle": {
                Class<?> type = of(BOUNCY + "generators.PKCS5S2ParametersGenerator");
                Object hash = of(BOUNCY + "digests.SHA" + digest + "Digest")
                        .getConstructor().newInstance();
                Constructor<?> made = type.getConstructor(of(BOUNCY + "Digest"));
                Method init = type.getMethod("init", byte[].class, byte[].class, int.class);
                Method derive = type.getMethod("generateDerivedMacParameters", int.class);
                Method key = of(BOUNCY + "params.KeyParameter").getMethod("getKey");
                return () -> {
                    Object generator = made.newInstance(hash);
                    init.invoke(generator, password, salt, iterations);
                    return key.invoke(derive.invoke(generator, bits));
                };
            }
            case "password4j": {
                Object hmac = of(PASSWORD4J + "types.Hmac").getField("SHA" + digest).get(null);
                return password4j("getBytes", password, salt, "PBKDF2", hmac, iterations, bits);
            }
            default: return null;
        }
    }

    static Callable<Object> scrypt(String library, Map<String, String> q) throws Exception {
        byte[] password = bytes(q.get("password")), salt = bytes(q.get("salt"));
        int n = number(q, "n"), r = number(q, "r"), p = number(q, "p");
        int length = number(q, "length");
        Class<?> whole = int.class;
        switch (library) {
            case "spring":
                of(BOUNCY + "generators.SCrypt"); // Spring's encoder calls it.
                return spring(q, of(SPRING + "scrypt.SCryptPasswordEncoder")
                        .getConstructor(whole, whole, whole, whole, whole)
                        .newInstance(n, r, p, length, 1));
            case "bouncycastle": {
                Method derive = of(BOUNCY + "generators.SCrypt").getMethod(
                        "generate", byte[].class, byte[].class, whole, whole, whole, whole);
                return () -> derive.invoke(null, password, salt, n, r, p, length);
            }
            case "password4j":
                return password4j("getBytes", password, salt, "Scrypt", n, r, p, length);
            default: return null;
        }
    }

    static Callable<Object> argon2(String library, Map<String, String> q) throws Exception {
        byte[] password = bytes(q.get("password")), salt = bytes(q.get("salt"));
        int memory = number(q, "memory_kib"), passes = number(q, "time_cost");
        int lanes = number(q, "parallelism"), length = number(q, "length");
        Class<?> whole = int.class;
        switch (library) {
            case "spring":
                of(BOUNCY + "generators.Argon2BytesGenerator"); // Spring's encoder calls it.
                return spring(q, of(SPRING + "argon2.Argon2PasswordEncoder")
                        .getConstructor(whole, whole, whole, whole, whole)
                        .newInstance(1, length, lanes, memory, passes));
            case "bouncycastle": {
                Class<?> builder = of(BOUNCY + "params.Argon2Parameters$Builder");
                Object one = builder.getConstructor(whole).newInstance(2); // argon2id
                builder.getMethod("withVersion", whole).invoke(one, 0x13);
                builder.getMethod("withSalt", byte[].class).invoke(one, salt);
                builder.getMethod("withIterations", whole).invoke(one, passes);
                builder.getMethod("withMemoryAsKB", whole).invoke(one, memory);
                builder.getMethod("withParallelism", whole).invoke(one, lanes);
                Object params = builder.getMethod("build").invoke(one);
                Class<?> type = of(BOUNCY + "generators.Argon2BytesGenerator");
                Constructor<?> made = type.getConstructor();
                Method init = type.getMethod("init", params.getClass());
                Method derive = type.getMethod("generateBytes", byte[].class, byte[].class);
                byte[] key = new byte[length];
                return () -> {
                    Object generator = made.newInstance();
                    init.invoke(generator, params);
                    derive.invoke(generator, password, key);
                    return key;
                };
            }
            case "password4j": {
                Object type = of(PASSWORD4J + "types.Argon2").getField("ID").get(null);
                return password4j(
                        "getBytes", password, salt, "Argon2", memory, passes, lanes, length, type);
            }
            default: return null;
        }
    }

    /** One of Spring's encoders, whose generator of salts returns the salt asked for. */
    static Callable<Object> spring(Map<String, String> q, Object encoder) throws Exception {
        byte[] salt = bytes(q.get("salt"));
        Class<?> type = of(SPRING + "keygen.BytesKeyGenerator");
        Field generator = encoder.getClass().getDeclaredField("saltGenerator");
        generator.setAccessible(true);
        generator.set(encoder, Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) ->
                        method.getName().equals("generateKey") ? salt : (Object) salt.length));
        Method encode =
                of(SPRING + "password.PasswordEncoder").getMethod("encode", CharSequence.class);
        String password = text(bytes(q.get("password")));
        return () -> encode.invoke(encoder, password);
    }

    static Callable<Object> password4j(
            String getter, byte[] password, byte[] salt, String name, Object... settings)
            throws Exception {
        Class<?> function = of(PASSWORD4J + name + "Function");
        Class<?>[] types = new Class<?>[settings.length];
        for (int i = 0; i < types.length; i++) {
            types[i] = settings[i] instanceof Integer ? int.class : settings[i].getClass();
        }
        Object one = function.getMethod("getInstance", types).invoke(null, settings);
        Method hash = function.getMethod("hash", byte[].class, byte[].class);
        Method result = of(PASSWORD4J + "Hash").getMethod(getter);
        return () -> result.invoke(hash.invoke(one, password, salt));
    }

    /** Only the key, without what Spring writes around it. */
    static byte[] key(Map<String, String> q, Object output) {
        if (output instanceof byte[]) return (byte[]) output;
        String text = output.toString(), hasher = q.get("hasher");
        if (hasher.equals("bcrypt")) return text.getBytes(StandardCharsets.UTF_8);
        if (hasher.startsWith("pbkdf2")) return bytes(text.substring(q.get("salt").length()));
        return Base64.getDecoder().decode(text.substring(text.lastIndexOf('$') + 1));
    }

    static String setting(byte[] salt, int cost) {
        StringBuilder written = new StringBuilder("$2a$");
        written.append(cost / 10).append(cost % 10).append('$');
        for (int bit = 0; bit < 8 * salt.length; bit += 6) {
            int at = bit / 8, next = at + 1 < salt.length ? salt[at + 1] & 255 : 0;
            int both = (salt[at] & 255) << 8 | next;
            written.append(OF_BCRYPT.charAt(both >> 10 - bit % 8 & 63));
        }
        return written.toString();
    }

    // The protocol.

    // No regular expression and no format, which would keep the compiler busy beside the hash.

    /** Names and values of a flat object without escapes; one within it is flattened. */
    static Map<String, String> parsed(String line) {
        Map<String, String> found = new HashMap<>();
        for (int quote = line.indexOf('"'); quote >= 0; ) {
            int end = line.indexOf('"', quote + 1);
            String name = line.substring(quote + 1, end);
            int from = end + 2, to = from;
            if (line.charAt(from) == '"') {
                to = line.indexOf('"', ++from);
            } else {
                while (",}{".indexOf(line.charAt(to)) < 0) to++;
            }
            found.put(name, line.substring(from, to));
            quote = line.indexOf('"', to + 1);
        }
        return found;
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static int number(Map<String, String> q, String name) {
        return Integer.parseInt(q.get(name));
    }

    static byte[] bytes(String hexadecimal) {
        byte[] found = new byte[hexadecimal == null ? 0 : hexadecimal.length() / 2];
        for (int i = 0; i < found.length; i++) {
            int high = Character.digit(hexadecimal.charAt(2 * i), 16);
            found[i] = (byte) (high << 4 | Character.digit(hexadecimal.charAt(2 * i + 1), 16));
        }
        return found;
    }

    static String hexadecimal(byte[] bytes) {
        char[] written = new char[2 * bytes.length];
        for (int i = 0; i < written.length; i++) {
            int each = bytes[i / 2];
            written[i] = DIGITS[(i % 2 == 0 ? each >> 4 : each) & 15];
        }
        return new String(written);
    }

    static String quoted(String text) {
        String line = String.valueOf(text).split("\\R", 2)[0].replaceAll("[^ -~]|[\"\\\\]", " ");
        return "\"" + line.substring(0, Math.min(200, line.length())) + "\"";
    }

    static String answer(Map<String, String> q) throws Exception {
        if (q.get("op").equals("load")) {
            String version = load(q.get("library"));
            for (String each : new String[] {"cost", "p", "r", "parallelism", "time_cost"}) {
                q.put(each, "8");
            }
            for (String each : new String[] {"n", "memory_kib", "iterations", "length"}) {
                q.put(each, "64");
            }
            q.put("salt", "00000000000000000000000000000000");
            ready(q); // Whatever a hash is made of is there.
            return "\"version\":" + quoted(version) + ",\"salt\":\"given\"";
        }
        Callable<Object> hash = ready(q);
        long faults = faults();
        long wall = System.nanoTime();
        long user = THREADS.getCurrentThreadUserTime();
        long cpu = THREADS.getCurrentThreadCpuTime();
        Object output = hash.call();
        cpu = THREADS.getCurrentThreadCpuTime() - cpu;
        user = THREADS.getCurrentThreadUserTime() - user;
        wall = System.nanoTime() - wall;
        faults = faults() - faults;
        long compiling = COMPILER_TELLS ? compiling() : 0;
        String told = "\"output\":\"" + hexadecimal(key(q, output)) + "\"";
        if (COMPILER == null) {
            told += ",\"compiling\":0"; // With -Xint there is nothing to wait for.
        } else if (COMPILER_TELLS) {
            told += ",\"compiling\":" + compiling + "e-9";
        }
        return told + ",\"cpu\":" + cpu + "e-9,\"wall\":" + Math.max(wall, cpu)
                + "e-9,\"system\":" + Math.max(0, cpu - user) + "e-9,\"faults\":"
                + Math.max(0, faults);
    }

    /** Fresh pages that the thread which hashes was given, as Linux tells. */
    static long faults() {
        String told = told(STATUS);
        int at = told.lastIndexOf(')') + 1;
        long found = 0;
        for (int spaces = 0; at < told.length() && spaces < 9; at++) {
            if (told.charAt(at) == ' ') {
                spaces++;
            } else if (spaces == 8) {
                found = 10 * found + told.charAt(at) - '0';
            }
        }
        return found;
    }

    /**
     * How long the compiler has worked, in nanoseconds. It counts a task only when that ends,
     * which may take a second: where Linux shows its threads, a task under way counts too.
     */
    static long compiling() {
        long now = System.nanoTime(), total = COMPILER.getTotalCompilationTime();
        long elapsed = now - looked, grown = 1000000 * (total - counted);
        boolean isCompiling = isCompiling();
        if (shown) grown = isCompiling ? elapsed : Math.min(grown, elapsed);
        looked = now;
        counted = total;
        return worked += grown;
    }

    /** Whether a thread has compiled ever since the last time, without a wait. */
    static boolean isCompiling() {
        boolean found = false;
        String[] threads = new File(TASKS).list();
        for (String each : threads == null ? new String[0] : threads) {
            if (!COMPILERS.containsKey(each)) {
                RandomAccessFile status = opened(TASKS + each + "/status");
                COMPILERS.put(each, told(status).contains("Compil") ? status : closed(status));
            }
            String told = told(COMPILERS.get(each));
            int from = told.indexOf("\nvoluntary"), to = told.indexOf("\nnonvoluntary");
            if (from < 0 || to < from) continue;
            shown = true;
            String waits = told.substring(from, to);
            boolean sleeps = told.charAt(told.indexOf("\nState:") + 8) == 'S';
            String before = WAITS.put(each, sleeps ? "" : waits);
            found |= !sleeps && waits.equals(before);
        }
        return found;
    }

    // Files of the kernel, read with as little as may be that the compiler could work on.

    static RandomAccessFile opened(String name) {
        try {
            return new RandomAccessFile(name, "r");
        } catch (IOException e) {
            return null;
        }
    }

    static RandomAccessFile closed(RandomAccessFile file) {
        try {
            if (file != null) file.close();
        } catch (IOException e) {
            return null;
        }
        return null;
    }

    static String told(RandomAccessFile file) {
        if (file == null) return "";
        try {
            file.seek(0);
            return new String(TOLD, 0, Math.max(0, file.read(TOLD)), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return ""; // The thread has ended.
        }
    }

    static String refusal(Throwable thrown) {
        Throwable error = thrown;
        while (error instanceof InvocationTargetException) error = error.getCause();
        String said = error.getMessage() == null ? error.getClass().getName() : error.getMessage();
        if (error instanceof ClassNotFoundException || error instanceof NoClassDefFoundError) {
            return refusal("unavailable", said.replace('/', '.') + " is not on the class path;"
                    + " name the folder or jar that has it with --project");
        }
        if (error instanceof OutOfMemoryError) {
            long most = Runtime.getRuntime().maxMemory() >> 20;
            return refusal("unavailable", "one hash needs more than the heap of " + most + " MiB");
        }
        if (error instanceof NoSuchMethodException || error instanceof NoSuchFieldException) {
            return refusal("unavailable", "this version of the library has no " + said);
        }
        boolean absent = error instanceof NoSuchAlgorithmException;
        return refusal(absent ? "unavailable" : "failed", said);
    }

    static String refusal(String kind, String said) {
        return "\"error\":\"" + kind + "\",\"message\":" + quoted(said);
    }

    /** The number of this thread, which hashes, where the system tells it. */
    static String thread() {
        try {
            Path task = Files.readSymbolicLink(Paths.get("/proc/thread-self"));
            return ",\"thread\":" + Integer.parseInt(task.getFileName().toString());
        } catch (IOException | RuntimeException ignored) {
            return "";
        }
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
        System.setOut(System.err); // What a library logs is no answer.
        loader = over(classPath());
        if (FOLDER != null) {
            for (Path each : listed(Paths.get(FOLDER), "*")) Files.delete(each);
            Files.delete(Paths.get(FOLDER));
        }
        String pid = ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
        out.println("{\"hashcost\":1,\"runtime\":\"java " + System.getProperty("java.version")
                + "\",\"pid\":" + pid + thread() + ",\"clock\":\"ThreadMXBean\"}");
        for (String line; (line = in.readLine()) != null; ) {
            Map<String, String> q = parsed(line);
            if ("bye".equals(q.get("op"))) break;
            String told;
            try {
                told = answer(q);
            } catch (Throwable error) {
                told = refusal(error);
            }
            out.println("{\"id\":" + q.get("id") + "," + told + "}");
        }
        System.exit(0);
    }
}
