package storekeeper;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * libstorekeeper for Java 22 and newer: what an App Store customer owns right now, and why.
 *
 * <p>The class adds three things to storekeeper.h, which remains the documentation: try-with-resources frees objects,
 * texts are strings, and a call that fails throws {@link Failure}. JSON is given as text. The library is
 * libstorekeeper.so.0 where the system looks for libraries; the environment variable STOREKEEPER_LIBRARY names another
 * file. Run Java with {@code --enable-native-access}.
 *
 * <pre>{@code
 * try (var pool = Pool.open(new Options().vault("players.sqlite").verifier(verifier).catalogPath("Store.storekit"));
 *         var anna = pool.openCustomer("anna")) {
 *     if (anna.hasFeature("pro", NOW)) { … }
 * }
 * }</pre>
 */
public final class Storekeeper {
    private Storekeeper() {}

    /** Instants are milliseconds since 1970, as {@code Instant.toEpochMilli()} returns them. */
    public static final long NOW = Long.MIN_VALUE, FOREVER = Long.MAX_VALUE;

    /** Environments of a verifier and of an App Store; 0 is the default. */
    public static final int PRODUCTION = 1, SANDBOX = 2, XCODE = 4, LOCAL_TESTING = 8;

    /** The statuses of storekeeper.h, in the order of their numbers. */
    public enum Status {
        OK, MISUSE, INVALID, UNKNOWN, REFUSED, UNVERIFIED, EMPTY, BUSY, IO, DOUBT, CORRUPT, CLOSED, TIMEOUT, CANCELLED,
        FORKED, INTERNAL;

        static Status of(int number) {
            return number >= 0 && number < values().length ? values()[number] : INTERNAL;
        }
    }

    /** A call has failed: its status, and the code and the message of the Swift library. */
    public static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;
        public final Status status;
        public final String code;

        Failure(Status status, String code, String message) {
            super(message);
            this.status = status;
            this.code = code;
        }
    }

    public enum AnswerKind { UNKNOWN, NEVER, LAPSED, PENDING, ENTITLED }

    public record Answer(AnswerKind kind, String reason, long until) {}

    public record Receipt(long balance, boolean isReplayed, String id) {}

    public enum ItemKind { RESULT, EVENT, REPORT }

    /**
     * What a queue brings. If the status is not OK, {@code json} has the code and the message. {@code customer} is set
     * by {@code beginOpen}, and is yours to close.
     */
    public record Item(ItemKind kind, Status status, long tag, long place, String json, Customer customer) {}

    /** Apple's App Store Server API, with a key of App Store Connect. */
    public record AppStore(String keyId, String issuerId, String key, int environments) {}

    /**
     * A source of evidence of your own. Its methods are called one at a time in threads of the library, which waits
     * for each answer at most 30 seconds. An exception makes the pool ask again later.
     */
    public interface Backend {
        /** Returns {"items":[JWS, …],"next":CURSOR}, without "next" at the end. */
        String history(String customer, String cursor) throws Exception;

        /** Returns [{"transaction":JWS,"renewalInfo":JWS}, …]. */
        default String statuses(String customer) throws Exception { return "[]"; }
    }

    /** Returns the release of the library. */
    public static String version() { return Native.word("sk_version"); }

    /** Owns a handle of the library. Any thread may use it; a call after {@code close()} fails. */
    private abstract static class Handle implements AutoCloseable {
        final MemorySegment handle;
        private final String free;

        Handle(MemorySegment handle, String free) {
            this.handle = handle;
            this.free = free;
        }

        @Override public void close() { Native.invoke(free, handle); }
    }

    public static final class Verifier extends Handle {
        /** Creates a verifier. The root certificate is DER or PEM. */
        public Verifier(byte[] root, String bundleId, int environments, long appAppleId) {
            super(Native.created("sk_verifier_new", arena -> Native.struct(
                arena, root, Native.terminated(bundleId), appAppleId, (long) environments)), "sk_verifier_free");
        }

        /** Returns the signed JSON; throws with UNVERIFIED and the reason as the code. */
        public String verify(String jws) { return Native.text("sk_verify", handle, jws); }
    }

    public static final class Snapshot extends Handle {
        private Snapshot(MemorySegment handle) { super(handle, "sk_snapshot_free"); }

        public boolean hasFeature(String feature, long at) {
            return Native.bool("sk_snapshot_has_feature", handle, feature, at);
        }

        public boolean isEntitled(String product, long at) {
            return Native.bool("sk_snapshot_is_entitled", handle, product, at);
        }

        public long balance(String name) { return Native.number("sk_snapshot_balance", handle, name); }
        public long nextChange(long at) { return Native.number("sk_snapshot_next_change", handle, at); }

        /** Returns all answers, as JSON. */
        public String entitlements(long at) { return Native.text("sk_snapshot_entitlements", handle, at); }

        /** Returns a picture, as SVG. */
        public String timeline(long at) { return Native.text("sk_snapshot_timeline", handle, at); }
    }

    public static final class Customer extends Handle {
        private Customer(MemorySegment handle) { super(handle, "sk_customer_free"); }

        public boolean hasFeature(String feature, long at) {
            return Native.bool("sk_has_feature", handle, feature, at);
        }

        public boolean isEntitled(String product, long at) {
            return Native.bool("sk_is_entitled", handle, product, at);
        }

        public long balance(String name) { return Native.number("sk_balance", handle, name); }
        public long nextChange(long at) { return Native.number("sk_next_change", handle, at); }
        public Answer feature(String id, long at) { return answer("sk_feature_answer", id, at); }
        public Answer product(String id, long at) { return answer("sk_product_answer", id, at); }

        private Answer answer(String function, String id, long at) {
            try (var arena = Arena.ofConfined()) {
                var answer = Native.struct(arena, 0L, 0L, 0L);
                Native.check(function, handle, id, at, answer);
                return new Answer(
                    AnswerKind.values()[answer.get(JAVA_INT, 8)], Native.word(answer.get(ADDRESS, 16)),
                    answer.get(JAVA_LONG, 24));
            }
        }

        public Snapshot snapshot() { return new Snapshot(Native.handle("sk_customer_snapshot", handle)); }

        /** Returns the report, whose "failures" lists the evidence that is not verified. */
        public String ingest(String evidence, boolean isComplete) {
            return Native.report("sk_customer_ingest", handle, evidence, isComplete);
        }

        public String sync() { return Native.text("sk_customer_sync", handle); }

        public Receipt spend(long units, String balance, String key) {
            return receipt("sk_customer_spend", handle, balance, units, key);
        }

        public Receipt grant(long units, String balance, String reason, String key) {
            return receipt("sk_customer_grant", handle, balance, units, Native.terminated(reason), key);
        }

        private static Receipt receipt(String function, Object... arguments) {
            try (var arena = Arena.ofConfined()) {
                var receipt = Native.struct(arena, 0L, 0L, 0L, 0L, 0L, 0L);
                Native.check(function, Native.appended(arguments, receipt));
                return new Receipt(
                    receipt.get(JAVA_LONG, 8), receipt.get(JAVA_BYTE, 16) != 0, receipt.getString(17));
            }
        }

        public void grantFeature(String feature, long until, String reason, String key) {
            Native.check("sk_customer_grant_feature", handle, feature, until, Native.terminated(reason), key);
        }

        public void revokeGrant(String reason, String key) {
            Native.check("sk_customer_revoke_grant", handle, Native.terminated(reason), key);
        }

        public String explainFeature(String id, long at) {
            return Native.text("sk_customer_explain_feature", handle, id, at);
        }

        public String explainProduct(String id, long at) {
            return Native.text("sk_customer_explain_product", handle, id, at);
        }

        public void beginIngest(String evidence, boolean isComplete, Queue queue, long tag) {
            Native.check("sk_begin_ingest", handle, evidence, isComplete, queue.handle, tag);
        }

        public void beginSync(Queue queue, long tag) { Native.check("sk_begin_sync", handle, queue.handle, tag); }

        public void beginSpend(long units, String balance, String key, Queue queue, long tag) {
            Native.check("sk_begin_spend", handle, balance, units, key, queue.handle, tag);
        }

        public void beginGrant(long units, String balance, String reason, String key, Queue queue, long tag) {
            Native.check(
                "sk_begin_grant", handle, balance, units, Native.terminated(reason), key, queue.handle, tag);
        }
    }

    public static final class Queue extends Handle {
        public Queue() { super(Native.handle("sk_queue_new"), "sk_queue_free"); }

        /** Returns the descriptor for poll() and epoll, which belongs to the queue. */
        public int descriptor() { return (int) Native.number("sk_queue_fd", handle); }

        /** Takes the next item; null if there is none now. */
        public Item next() {
            try (var arena = Arena.ofConfined()) {
                var item = Native.struct(arena, 0L, 0L, 0L, MemorySegment.NULL, MemorySegment.NULL, 0L);
                int status = Native.call("sk_queue_next", handle, item);
                if (Status.of(status) == Status.EMPTY) return null;
                Native.check(status);
                var customer = item.get(ADDRESS, 32);
                return new Item(
                    ItemKind.values()[item.get(JAVA_INT, 8) - 1], Status.of(item.get(JAVA_INT, 12)),
                    item.get(JAVA_LONG, 16), item.get(JAVA_LONG, 24), Native.taken(item.asSlice(40)),
                    customer.equals(MemorySegment.NULL) ? null : new Customer(customer));
            }
        }

        /** Takes the next item, for which it waits in this thread; null if none comes in time. */
        public Item take(Duration timeout) {
            try (var arena = Arena.ofConfined()) {
                var one = arena.allocate(8, 4);
                one.set(JAVA_INT, 0, descriptor());
                one.set(JAVA_INT, 4, 1); // POLLIN
                for (long end = System.nanoTime() + timeout.toNanos(); ; ) {
                    // Another thread may have taken the item, and a signal may have ended the wait.
                    var item = next();
                    long left = (end - System.nanoTime()) / 1_000_000;
                    if (item != null || left < 0) return item;
                    Native.call("poll", one, 1L, (int) Math.min(left + 1, 3_600_000));
                }
            }
        }
    }

    /** A simulated App Store, for tests. */
    public static final class Simulator extends Handle {
        /** Creates a simulator with the path or the text of a catalog; the other is null. */
        public Simulator(String bundleId, String catalogPath, byte[] catalog, long start, long seed) {
            super(Native.created("sk_simulator_new", arena -> Native.struct(
                arena, Native.terminated(bundleId), Native.terminated(catalogPath), catalog, start, seed)),
                "sk_simulator_free");
        }

        /** Returns the certificate, as PEM. */
        public String root() { return Native.text("sk_simulator_root", handle); }
        public long now() { return Native.number("sk_simulator_now", handle); }
        public void advance(long to) { Native.check("sk_simulator_advance", handle, to); }
        public void addAccount(String id) { Native.check("sk_simulator_add_account", handle, id); }

        /** Returns the id of the transaction. */
        public String buy(String id, String product) { return Native.text("sk_simulator_buy", handle, id, product); }
        public void refund(String transaction) { Native.check("sk_simulator_refund", handle, transaction); }

        public void setAutoRenew(String transaction, boolean isOn) {
            Native.check("sk_simulator_set_auto_renew", handle, transaction, isOn);
        }

        /** Returns all evidence about a customer, one compact JWS a line. */
        public String evidence(String id) { return Native.text("sk_simulator_evidence", handle, id); }

        /** Returns the notifications that were sent, one a line, without the first. */
        public String notifications(long skip) { return Native.text("sk_simulator_notifications", handle, skip); }
    }

    /** Options of a pool: at most one of the App Store, the backend and the simulator. */
    public static final class Options {
        private String vault, catalogPath, backendName;
        private byte[] catalog;
        private Verifier verifier;
        private AppStore appStore;
        private Backend backend;
        private Simulator simulator;
        private long capacity, refreshInterval;

        /** A path or postgres://…; without it, all is kept in memory, for tests. */
        public Options vault(String value) { vault = value; return this; }
        public Options verifier(Verifier value) { verifier = value; return this; }
        public Options catalogPath(String value) { catalogPath = value; return this; }
        /** The text of a catalog, in place of a path. */
        public Options catalog(byte[] value) { catalog = value; return this; }
        public Options appStore(AppStore value) { appStore = value; return this; }
        public Options backend(String name, Backend value) { backendName = name; backend = value; return this; }
        public Options simulator(Simulator value) { simulator = value; return this; }
        public Options capacity(long value) { capacity = value; return this; }
        public Options refreshInterval(long value) { refreshInterval = value; return this; }

        private MemorySegment struct(Arena arena, long context) {
            var server = appStore == null ? MemorySegment.NULL : Native.struct(
                arena, Native.terminated(appStore.keyId), Native.terminated(appStore.issuerId),
                Native.terminated(appStore.key), (long) appStore.environments);
            var source = backend == null ? MemorySegment.NULL : Native.struct(
                arena, Native.terminated(backendName), context, Callbacks.HISTORY, Callbacks.STATUSES,
                Callbacks.RELEASE);
            return Native.struct(
                arena, Native.terminated(vault), verifier == null ? MemorySegment.NULL : verifier.handle,
                Native.terminated(catalogPath), catalog, server, source,
                simulator == null ? MemorySegment.NULL : simulator.handle, capacity, refreshInterval);
        }
    }

    public static final class Pool extends Handle {
        private final AtomicBoolean isClosed = new AtomicBoolean();

        private Pool(MemorySegment handle) { super(handle, "sk_pool_close"); }

        public static Pool open(Options options) {
            long context = options.backend == null ? 0 : Callbacks.added(options.backend);
            try {
                return new Pool(Native.created("sk_pool_open", arena -> options.struct(arena, context)));
            } catch (RuntimeException failure) {
                Callbacks.BACKENDS.remove(context);
                throw failure;
            }
        }

        /**
         * Completes the calls that have begun, and closes the vault. In a method of the pool's own backend it fails,
         * and the pool stays open.
         */
        @Override public void close() {
            if (isClosed.getAndSet(true)) return;
            int status = Native.call("sk_pool_close", handle);
            if (Status.of(status) == Status.MISUSE) isClosed.set(false);
            Native.check(status);
        }

        public Customer openCustomer(String id) {
            return new Customer(Native.handle("sk_customer_open", handle, id));
        }

        public void beginOpen(String id, Queue queue, long tag) {
            Native.check("sk_begin_open", handle, id, queue.handle, tag);
        }

        public void loadCatalog(String name, byte[] text) {
            Native.check("sk_pool_load_catalog", handle, Native.terminated(name), text);
        }

        /** Stores a notification, and returns the HTTP status with which to answer the request. */
        public int receive(String body) {
            try (var arena = Arena.ofConfined()) {
                var httpStatus = arena.allocate(JAVA_INT);
                int status = Native.call("sk_pool_receive", handle, body, httpStatus);
                if (httpStatus.get(JAVA_INT, 0) == 0) Native.check(status);
                return httpStatus.get(JAVA_INT, 0);
            }
        }

        public void beginReceive(String body, Queue queue, long tag) {
            Native.check("sk_begin_receive", handle, body, queue.handle, tag);
        }

        /** Returns the report of the audit; its "faults" is empty if the vault is sound. */
        public String audit() { return Native.report("sk_pool_audit", handle); }

        public void subscribe(Queue queue, long tag, long after) {
            Native.check("sk_pool_subscribe", handle, queue.handle, tag, after);
        }

        /** Adds each report to a queue; null ends it. */
        public void reportTo(Queue queue, long tag) {
            Native.check("sk_pool_report", handle, queue == null ? MemorySegment.NULL : queue.handle, tag);
        }
    }

    /** The functions that the library calls; a number names the backend. */
    private static final class Callbacks {
        static final Map<Long, Backend> BACKENDS = new ConcurrentHashMap<>();
        private static final AtomicLong last = new AtomicLong();
        static final MemorySegment HISTORY = stub("history", 4);
        static final MemorySegment STATUSES = stub("statuses", 3);
        static final MemorySegment RELEASE = stub("release", 1);

        static long added(Backend backend) {
            long context = last.incrementAndGet();
            BACKENDS.put(context, backend);
            return context;
        }

        private static MemorySegment stub(String name, int count) {
            try {
                var types = new Class<?>[count];
                Arrays.fill(types, MemorySegment.class);
                var layouts = new MemoryLayout[count];
                Arrays.fill(layouts, ADDRESS);
                var method = MethodHandles.lookup().findStatic(
                    Callbacks.class, name, MethodType.methodType(void.class, types));
                return Linker.nativeLinker().upcallStub(method, FunctionDescriptor.ofVoid(layouts), Arena.global());
            } catch (ReflectiveOperationException failure) {
                throw new IllegalStateException(failure);
            }
        }

        private interface Work { String text() throws Exception; }

        static void history(MemorySegment context, MemorySegment reply, MemorySegment customer, MemorySegment cursor) {
            reply(reply, () ->
                BACKENDS.get(context.address()).history(Native.word(customer), Native.word(cursor)));
        }

        static void statuses(MemorySegment context, MemorySegment reply, MemorySegment customer) {
            reply(reply, () -> BACKENDS.get(context.address()).statuses(Native.word(customer)));
        }

        static void release(MemorySegment context) { BACKENDS.remove(context.address()); }

        private static void reply(MemorySegment reply, Work work) {
            // An exception that leaves this method would end the process. A reply that is too late matters to no one.
            try {
                Native.call("sk_reply_send", reply, Status.OK.ordinal(), work.text());
            } catch (Throwable failure) {
                Native.call("sk_reply_send", reply, Status.IO.ordinal(),
                    String.valueOf(failure.getMessage()).getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    /**
     * Calls functions by name. A String and a byte[] become two arguments, the text and its length; see
     * {@link #terminated} for the others. The types of the arguments are those of the parameters in storekeeper.h.
     */
    private static final class Native {
        private static final Linker linker = Linker.nativeLinker();
        private static final SymbolLookup library = lookup();
        private static final Map<String, MethodHandle> functions = new ConcurrentHashMap<>();
        // They are found before the call whose failure they describe: a virtual thread that waits between the two calls
        // may go on in another thread, which has other failures.
        private static final MethodHandle errorCode = description("sk_error_code");
        private static final MethodHandle errorMessage = description("sk_error_message");

        private record Terminated(String text) {}

        private interface Options { MemorySegment in(Arena arena); }

        private static SymbolLookup lookup() {
            var name = System.getenv().getOrDefault("STOREKEEPER_LIBRARY", "libstorekeeper.so.0");
            return SymbolLookup.libraryLookup(name, Arena.global()).or(linker.defaultLookup());
        }

        /** Marks a text that a zero byte ends. */
        static Terminated terminated(String text) {
            if (text != null && text.indexOf(0) >= 0)
                throw new Failure(Status.INVALID, "zeroByte", "the text has a zero byte inside");
            return new Terminated(text);
        }

        /** Returns UTF-8; refuses half of a surrogate pair, which has none. */
        private static byte[] utf8(String text) {
            try {
                ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
                return Arrays.copyOf(bytes.array(), bytes.limit());
            } catch (CharacterCodingException failure) {
                throw new Failure(Status.INVALID, "invalidUTF8", "the text has half of a surrogate pair");
            }
        }

        private static void add(List<Object> plain, Arena arena, Object argument) {
            switch (argument) {
                case null -> add(plain, arena, MemorySegment.NULL, 0L);
                case String text -> add(plain, arena, (Object) utf8(text));
                case byte[] bytes -> add(plain, arena, arena.allocateFrom(JAVA_BYTE, bytes), (long) bytes.length);
                case Terminated word when word.text == null -> plain.add(MemorySegment.NULL);
                case Terminated word -> {
                    var bytes = utf8(word.text);
                    plain.add(arena.allocateFrom(JAVA_BYTE, Arrays.copyOf(bytes, bytes.length + 1)));
                }
                default -> plain.add(argument);
            }
        }

        private static void add(List<Object> plain, Arena arena, Object... arguments) {
            for (var argument : arguments) add(plain, arena, argument);
        }

        /** Allocates a struct whose members have eight bytes each; the first is its size. */
        static MemorySegment struct(Arena arena, Object... members) {
            var plain = new ArrayList<Object>();
            for (var member : members) add(plain, arena, member);
            var struct = arena.allocate(8L * (plain.size() + 1), 8);
            struct.set(JAVA_LONG, 0, struct.byteSize());
            for (int place = 0; place < plain.size(); place++) {
                var member = plain.get(place);
                long value = member instanceof MemorySegment address ? address.address() : (Long) member;
                struct.set(JAVA_LONG, 8L * (place + 1), value);
            }
            return struct;
        }

        static Object[] appended(Object[] arguments, Object last) {
            var all = Arrays.copyOf(arguments, arguments.length + 1);
            all[arguments.length] = last;
            return all;
        }

        private static MethodHandle function(String name, MemoryLayout result, List<Object> arguments) {
            return functions.computeIfAbsent(name, missing -> {
                var layouts = arguments.stream().map(argument -> (MemoryLayout) switch (argument) {
                    case Long number -> JAVA_LONG;
                    case Integer number -> JAVA_INT;
                    case Boolean flag -> JAVA_BOOLEAN;
                    default -> ADDRESS;
                }).toArray(MemoryLayout[]::new);
                var type = result == null
                    ? FunctionDescriptor.ofVoid(layouts) : FunctionDescriptor.of(result, layouts);
                var address = library.find(missing).orElseThrow(() -> new UnsatisfiedLinkError(missing));
                return linker.downcallHandle(address, type).asSpreader(Object[].class, layouts.length)
                    .asType(MethodType.methodType(Object.class, Object[].class));
            });
        }

        private static Object invoke(String name, MemoryLayout result, List<Object> arguments) {
            try {
                return (Object) function(name, result, arguments).invokeExact(arguments.toArray());
            } catch (RuntimeException | Error failure) {
                throw failure;
            } catch (Throwable failure) {
                throw new IllegalStateException(failure);
            }
        }

        /** Calls a function without a result. */
        static void invoke(String name, MemorySegment argument) { invoke(name, null, List.of(argument)); }

        /** Calls a function, and returns its status. */
        static int call(String name, Object... arguments) {
            try (var arena = Arena.ofConfined()) {
                var plain = new ArrayList<Object>();
                for (var argument : arguments) add(plain, arena, argument);
                return (int) invoke(name, JAVA_INT, plain);
            }
        }

        static void check(int status) { if (status != 0) throw failure(status); }

        static void check(String name, Object... arguments) { check(call(name, arguments)); }

        private static MethodHandle description(String function) {
            return linker.downcallHandle(library.find(function).orElseThrow(), FunctionDescriptor.of(ADDRESS));
        }

        /** Returns the last failure of this thread. */
        static Failure failure(int status) {
            try {
                var code = (MemorySegment) errorCode.invokeExact();
                var message = (MemorySegment) errorMessage.invokeExact();
                return new Failure(Status.of(status), word(code), word(message));
            } catch (RuntimeException | Error failure) {
                throw failure;
            } catch (Throwable failure) {
                throw new IllegalStateException(failure);
            }
        }

        static String word(String function) { return word((MemorySegment) invoke(function, ADDRESS, List.of())); }

        static String word(MemorySegment text) {
            return text.equals(MemorySegment.NULL) ? "" : text.reinterpret(Long.MAX_VALUE).getString(0);
        }

        private static <Value> Value out(
                java.util.function.Function<MemorySegment, Value> read, String name, Object... arguments) {
            try (var arena = Arena.ofConfined()) {
                var out = arena.allocate(8, 8);
                check(name, appended(arguments, out));
                return read.apply(out);
            }
        }

        static boolean bool(String name, Object... arguments) {
            return out(found -> found.get(JAVA_BYTE, 0) != 0, name, arguments);
        }

        static long number(String name, Object... arguments) {
            return out(found -> found.get(JAVA_LONG, 0), name, arguments);
        }

        static MemorySegment handle(String name, Object... arguments) {
            return out(found -> found.get(ADDRESS, 0), name, arguments);
        }

        static MemorySegment created(String name, Options options) {
            try (var arena = Arena.ofConfined()) {
                return handle(name, options.in(arena));
            }
        }

        /** Copies a text of the library, and frees it. */
        static String taken(MemorySegment text) {
            var bytes = text.get(ADDRESS, 0);
            if (bytes.equals(MemorySegment.NULL)) return "";
            var copy = bytes.reinterpret(text.get(JAVA_LONG, 8)).toArray(JAVA_BYTE);
            invoke("sk_text_free", bytes);
            return new String(copy, StandardCharsets.UTF_8);
        }

        static String text(String name, Object... arguments) { return text(false, name, arguments); }

        /** Returns a text that some functions give although they fail. */
        static String report(String name, Object... arguments) { return text(true, name, arguments); }

        private static String text(boolean isReport, String name, Object... arguments) {
            try (var arena = Arena.ofConfined()) {
                var text = arena.allocate(16, 8);
                int status = call(name, appended(arguments, text));
                boolean isEmpty = text.get(ADDRESS, 0).equals(MemorySegment.NULL);
                var failure = status == 0 || isReport && !isEmpty ? null : failure(status);
                var copy = taken(text);
                if (failure != null) throw failure;
                return copy;
            }
        }
    }
}
