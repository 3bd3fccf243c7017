// libstorekeeper for C#: what an App Store customer owns right now, and why.
//
// It adds three things to storekeeper.h, which remains the documentation: objects free themselves (each is a
// SafeHandle), texts are strings, and a call that fails throws StorekeeperException. JSON is given as text. The file is
// the whole layer, for .NET 8 and newer, and for Mono. The system must find libstorekeeper.so.0, for example through
// LD_LIBRARY_PATH.
//
// The layer was compiled and tested with Mono 6.8, except Backend, which Mono cannot have: it stops threads by signals,
// and the library's threads block them. With .NET 8 the layer was not run; its tests run where there is a dotnet.
//
//     using (var pool = Pool.Open(new PoolOptions {
//         Vault = "players.sqlite", Verifier = verifier, CatalogPath = "Store.storekit" }))
//     using (var anna = pool.OpenCustomer("anna"))
//         if (anna.HasFeature("pro")) { … }
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

namespace Storekeeper
{
    /// <summary>Instants are milliseconds since 1970, as DateTimeOffset.ToUnixTimeMilliseconds returns them.</summary>
    public static class Instant
    {
        public const long Now = long.MinValue;
        public const long Forever = long.MaxValue;
    }

    /// <summary>The statuses of storekeeper.h.</summary>
    public enum Status
    {
        OK = 0, Misuse = 1, Invalid = 2, Unknown = 3, Refused = 4, Unverified = 5, Empty = 6, Busy = 7, IO = 8,
        Doubt = 9, Corrupt = 10, Closed = 11, Timeout = 12, Cancelled = 13, Forked = 14, Internal = 15
    }

    /// <summary>A call has failed: its status, and the code and the message of the Swift library.</summary>
    public sealed class StorekeeperException : Exception
    {
        public Status Status { get; }
        public string Code { get; }

        internal StorekeeperException(int status, string code, string message) : base(message)
        {
            Status = (Status)status;
            Code = code;
        }

        /// The last failure of this thread.
        internal static StorekeeperException Last(int status)
        {
            return new StorekeeperException(
                status, Native.Terminated(Native.sk_error_code()), Native.Terminated(Native.sk_error_message()));
        }
    }

    public static class Library
    {
        /// <summary>The release of the library.</summary>
        public static string Version { get { return Native.Terminated(Native.sk_version()); } }
    }

    /// <summary>Environments of a verifier and of an App Store.</summary>
    [Flags]
    public enum Environments : uint { Default = 0, Production = 1, Sandbox = 2, Xcode = 4, LocalTesting = 8 }

    public enum AnswerKind { Unknown = 0, Never = 1, Lapsed = 2, Pending = 3, Entitled = 4 }

    /// <summary>An answer with its reason; Until is an instant.</summary>
    public sealed class Answer
    {
        public AnswerKind Kind { get; internal set; }
        public string Reason { get; internal set; }
        public long Until { get; internal set; }
    }

    public sealed class Receipt
    {
        public long Balance { get; internal set; }
        public bool IsReplayed { get; internal set; }
        public string Id { get; internal set; }
    }

    /// <summary>Owns a handle of the library. Any thread may use it.</summary>
    public abstract class Handle : SafeHandle
    {
        internal Handle() : base(IntPtr.Zero, true) { }
        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }
    }

    public sealed class Verifier : Handle
    {
        Verifier() { }
        protected override bool ReleaseHandle() { Native.sk_verifier_free(handle); return true; }

        /// <summary>Creates a verifier. The root certificate is DER or PEM.</summary>
        public static Verifier Create(
            byte[] root, string bundleId, Environments environments = Environments.Default, long appAppleId = 0)
        {
            using (var memory = new Memory())
            {
                var options = new Native.VerifierOptions {
                    size = Native.Size<Native.VerifierOptions>(), root = memory.Bytes(root),
                    rootLength = Native.Length(root), bundleId = memory.Text(bundleId), appAppleId = appAppleId,
                    environments = (uint)environments };
                Verifier verifier;
                Native.Check(Native.sk_verifier_new(ref options, out verifier));
                return verifier;
            }
        }

        /// <summary>Returns the signed JSON; throws with Status.Unverified and the reason as the code.</summary>
        public string Verify(string jws)
        {
            var text = Native.Encoded(jws);
            Native.Text payload;
            return Native.Result(Native.sk_verify(this, text, Native.Length(text), out payload), payload);
        }
    }

    public sealed class Snapshot : Handle
    {
        Snapshot() { }
        protected override bool ReleaseHandle() { Native.sk_snapshot_free(handle); return true; }

        public bool HasFeature(string feature, long at = Instant.Now)
        {
            var text = Native.Encoded(feature);
            bool answer;
            Native.Check(Native.sk_snapshot_has_feature(this, text, Native.Length(text), at, out answer));
            return answer;
        }

        public bool IsEntitled(string product, long at = Instant.Now)
        {
            var text = Native.Encoded(product);
            bool answer;
            Native.Check(Native.sk_snapshot_is_entitled(this, text, Native.Length(text), at, out answer));
            return answer;
        }

        public long Balance(string name)
        {
            var text = Native.Encoded(name);
            long units;
            Native.Check(Native.sk_snapshot_balance(this, text, Native.Length(text), out units));
            return units;
        }

        public long NextChange(long at = Instant.Now)
        {
            long change;
            Native.Check(Native.sk_snapshot_next_change(this, at, out change));
            return change;
        }

        /// <summary>Returns all answers, as JSON.</summary>
        public string Entitlements(long at = Instant.Now)
        {
            Native.Text json;
            return Native.Result(Native.sk_snapshot_entitlements(this, at, out json), json);
        }

        /// <summary>Returns a picture, as SVG.</summary>
        public string Timeline(long at = Instant.Now)
        {
            Native.Text svg;
            return Native.Result(Native.sk_snapshot_timeline(this, at, out svg), svg);
        }
    }

    public sealed class Customer : Handle
    {
        Customer() { }
        internal Customer(IntPtr handle) { SetHandle(handle); }
        protected override bool ReleaseHandle() { Native.sk_customer_free(handle); return true; }

        public bool HasFeature(string feature, long at = Instant.Now)
        {
            var text = Native.Encoded(feature);
            bool answer;
            Native.Check(Native.sk_has_feature(this, text, Native.Length(text), at, out answer));
            return answer;
        }

        public bool IsEntitled(string product, long at = Instant.Now)
        {
            var text = Native.Encoded(product);
            bool answer;
            Native.Check(Native.sk_is_entitled(this, text, Native.Length(text), at, out answer));
            return answer;
        }

        public long Balance(string name)
        {
            var text = Native.Encoded(name);
            long units;
            Native.Check(Native.sk_balance(this, text, Native.Length(text), out units));
            return units;
        }

        public long NextChange(long at = Instant.Now)
        {
            long change;
            Native.Check(Native.sk_next_change(this, at, out change));
            return change;
        }

        public Answer Feature(string id, long at = Instant.Now)
        {
            var text = Native.Encoded(id);
            var answer = new Native.Answer { size = Native.Size<Native.Answer>() };
            Native.Check(Native.sk_feature_answer(this, text, Native.Length(text), at, ref answer));
            return Converted(answer);
        }

        public Answer Product(string id, long at = Instant.Now)
        {
            var text = Native.Encoded(id);
            var answer = new Native.Answer { size = Native.Size<Native.Answer>() };
            Native.Check(Native.sk_product_answer(this, text, Native.Length(text), at, ref answer));
            return Converted(answer);
        }

        static Answer Converted(Native.Answer answer)
        {
            return new Answer {
                Kind = (AnswerKind)answer.kind, Reason = Native.Terminated(answer.reason), Until = answer.until };
        }

        public Snapshot Snapshot()
        {
            Snapshot snapshot;
            Native.Check(Native.sk_customer_snapshot(this, out snapshot));
            return snapshot;
        }

        /// <summary>Returns the report, whose "failures" lists the evidence that is not verified.</summary>
        public string Ingest(string evidence, bool isComplete = false)
        {
            var text = Native.Encoded(evidence);
            Native.Text report;
            int status = Native.sk_customer_ingest(this, text, Native.Length(text), isComplete, out report);
            return Native.Result(report.bytes == IntPtr.Zero ? status : 0, report);
        }

        public string Sync()
        {
            Native.Text report;
            return Native.Result(Native.sk_customer_sync(this, out report), report);
        }

        public Receipt Spend(long units, string balance, string key)
        {
            byte[] name = Native.Encoded(balance), id = Native.Encoded(key);
            var receipt = new Native.Receipt { size = Native.Size<Native.Receipt>() };
            Native.Check(Native.sk_customer_spend(
                this, name, Native.Length(name), units, id, Native.Length(id), ref receipt));
            return Converted(receipt);
        }

        public Receipt Grant(long units, string balance, string reason, string key)
        {
            byte[] name = Native.Encoded(balance), id = Native.Encoded(key);
            var receipt = new Native.Receipt { size = Native.Size<Native.Receipt>() };
            Native.Check(Native.sk_customer_grant(
                this, name, Native.Length(name), units, Native.WithZero(reason), id, Native.Length(id), ref receipt));
            return Converted(receipt);
        }

        static Receipt Converted(Native.Receipt receipt)
        {
            return new Receipt {
                Balance = receipt.balance, IsReplayed = receipt.isReplayed != 0,
                Id = Encoding.UTF8.GetString(receipt.id, 0, Array.IndexOf(receipt.id, (byte)0)) };
        }

        public void GrantFeature(string feature, long until, string reason, string key)
        {
            byte[] name = Native.Encoded(feature), id = Native.Encoded(key);
            Native.Check(Native.sk_customer_grant_feature(
                this, name, Native.Length(name), until, Native.WithZero(reason), id, Native.Length(id)));
        }

        public void RevokeGrant(string reason, string key)
        {
            var id = Native.Encoded(key);
            Native.Check(Native.sk_customer_revoke_grant(this, Native.WithZero(reason), id, Native.Length(id)));
        }

        public string ExplainFeature(string id, long at = Instant.Now)
        {
            var text = Native.Encoded(id);
            Native.Text json;
            return Native.Result(
                Native.sk_customer_explain_feature(this, text, Native.Length(text), at, out json), json);
        }

        public string ExplainProduct(string id, long at = Instant.Now)
        {
            var text = Native.Encoded(id);
            Native.Text json;
            return Native.Result(
                Native.sk_customer_explain_product(this, text, Native.Length(text), at, out json), json);
        }

        public void BeginIngest(string evidence, bool isComplete, Queue queue, ulong tag)
        {
            var text = Native.Encoded(evidence);
            Native.Check(Native.sk_begin_ingest(this, text, Native.Length(text), isComplete, queue, tag));
        }

        public void BeginSync(Queue queue, ulong tag) { Native.Check(Native.sk_begin_sync(this, queue, tag)); }

        public void BeginSpend(long units, string balance, string key, Queue queue, ulong tag)
        {
            byte[] name = Native.Encoded(balance), id = Native.Encoded(key);
            Native.Check(Native.sk_begin_spend(
                this, name, Native.Length(name), units, id, Native.Length(id), queue, tag));
        }

        public void BeginGrant(long units, string balance, string reason, string key, Queue queue, ulong tag)
        {
            byte[] name = Native.Encoded(balance), id = Native.Encoded(key);
            Native.Check(Native.sk_begin_grant(
                this, name, Native.Length(name), units, Native.WithZero(reason), id, Native.Length(id), queue, tag));
        }
    }

    public enum ItemKind { Result = 1, Event = 2, Report = 3 }

    /// <summary>What a queue brings. If Status is not OK, Json has the code and the message. Customer is set by
    /// BeginOpen, and is yours to dispose of.</summary>
    public sealed class Item
    {
        public ItemKind Kind { get; internal set; }
        public Status Status { get; internal set; }
        public ulong Tag { get; internal set; }
        public long Place { get; internal set; }
        public string Json { get; internal set; }
        public Customer Customer { get; internal set; }
    }

    public sealed class Queue : Handle
    {
        Queue() { }
        protected override bool ReleaseHandle() { Native.sk_queue_free(handle); return true; }

        public static Queue Create()
        {
            Queue queue;
            Native.Check(Native.sk_queue_new(out queue));
            return queue;
        }

        /// <summary>The descriptor for poll() and epoll, which belongs to the queue.</summary>
        public int Descriptor
        {
            get
            {
                int descriptor;
                Native.Check(Native.sk_queue_fd(this, out descriptor));
                return descriptor;
            }
        }

        /// <summary>Takes the next item; null if there is none now.</summary>
        public Item Next()
        {
            var item = new Native.Item { size = Native.Size<Native.Item>() };
            int status = Native.sk_queue_next(this, ref item);
            if (status == (int)Status.Empty) return null;
            Native.Check(status);
            return new Item {
                Kind = (ItemKind)item.kind, Status = (Status)item.status, Tag = item.tag, Place = item.place,
                Json = Native.Result(0, item.json),
                Customer = item.customer == IntPtr.Zero ? null : new Customer(item.customer) };
        }

        /// <summary>Takes the next item, for which it waits in this thread; null if none comes in time.</summary>
        public Item Wait(TimeSpan timeout)
        {
            var one = new Native.PollDescriptor { descriptor = Descriptor, events = 1 };
            for (var watch = Stopwatch.StartNew(); ;)
            {
                // Another thread may have taken the item, and a signal may have ended the wait.
                var item = Next();
                var left = timeout - watch.Elapsed;
                if (item != null || left <= TimeSpan.Zero) return item;
                Native.poll(ref one, new UIntPtr(1), (int)Math.Min(left.TotalMilliseconds + 1, 3600000));
            }
        }
    }

    public sealed class Simulator : Handle
    {
        Simulator() { }
        protected override bool ReleaseHandle() { Native.sk_simulator_free(handle); return true; }

        /// <summary>Creates a simulated App Store, for tests, with the path or the text of a catalog.</summary>
        public static Simulator Create(
            string bundleId, string catalogPath = null, byte[] catalog = null, long start = 0, ulong seed = 0)
        {
            using (var memory = new Memory())
            {
                var options = new Native.SimulatorOptions {
                    size = Native.Size<Native.SimulatorOptions>(), bundleId = memory.Text(bundleId),
                    catalogPath = memory.Text(catalogPath), catalog = memory.Bytes(catalog),
                    catalogLength = Native.Length(catalog), start = start, seed = seed };
                Simulator simulator;
                Native.Check(Native.sk_simulator_new(ref options, out simulator));
                return simulator;
            }
        }

        /// <summary>The certificate, as PEM.</summary>
        public string Root
        {
            get
            {
                Native.Text pem;
                return Native.Result(Native.sk_simulator_root(this, out pem), pem);
            }
        }

        public long Now
        {
            get
            {
                long now;
                Native.Check(Native.sk_simulator_now(this, out now));
                return now;
            }
        }

        public void Advance(long to) { Native.Check(Native.sk_simulator_advance(this, to)); }

        public void AddAccount(string id)
        {
            var text = Native.Encoded(id);
            Native.Check(Native.sk_simulator_add_account(this, text, Native.Length(text)));
        }

        /// <summary>Returns the id of the transaction.</summary>
        public string Buy(string id, string product)
        {
            byte[] buyer = Native.Encoded(id), name = Native.Encoded(product);
            Native.Text transaction;
            return Native.Result(
                Native.sk_simulator_buy(
                    this, buyer, Native.Length(buyer), name, Native.Length(name), out transaction),
                transaction);
        }

        public void Refund(string transaction)
        {
            var text = Native.Encoded(transaction);
            Native.Check(Native.sk_simulator_refund(this, text, Native.Length(text)));
        }

        public void SetAutoRenew(string transaction, bool isOn)
        {
            var text = Native.Encoded(transaction);
            Native.Check(Native.sk_simulator_set_auto_renew(this, text, Native.Length(text), isOn));
        }

        /// <summary>Returns all evidence about a customer, one compact JWS a line.</summary>
        public string Evidence(string id)
        {
            var text = Native.Encoded(id);
            Native.Text evidence;
            return Native.Result(
                Native.sk_simulator_evidence(this, text, Native.Length(text), out evidence), evidence);
        }

        /// <summary>Returns the notifications that were sent, one a line, without the first.</summary>
        public string Notifications(ulong skip = 0)
        {
            Native.Text notifications;
            return Native.Result(
                Native.sk_simulator_notifications(this, new UIntPtr(skip), out notifications), notifications);
        }
    }

    /// <summary>Apple's App Store Server API, with a key of App Store Connect.</summary>
    public sealed class AppStore
    {
        public string KeyId { get; set; }
        public string IssuerId { get; set; }
        public string Key { get; set; }
        public Environments Environments { get; set; }
    }

    /// <summary>A source of evidence of your own. Its methods are called one at a time in threads of the library,
    /// which waits for each answer at most 30 seconds. An exception makes the pool ask again later.</summary>
    public abstract class Backend
    {
        public virtual string Name { get { return "csharp"; } }
        /// <summary>Returns {"items":[JWS, …],"next":CURSOR}, without "next" at the end.</summary>
        public abstract string History(string customer, string cursor);
        /// <summary>Returns [{"transaction":JWS,"renewalInfo":JWS}, …].</summary>
        public virtual string Statuses(string customer) { return "[]"; }

        // The delegates are static, so that they live as long as the library may call them.
        internal static readonly Native.History history = (context, reply, customer, cursor) =>
            Reply(reply, () => Of(context).History(Native.Terminated(customer), Native.Terminated(cursor)));
        internal static readonly Native.Statuses statuses = (context, reply, customer) =>
            Reply(reply, () => Of(context).Statuses(Native.Terminated(customer)));
        internal static readonly Native.Release release = context => GCHandle.FromIntPtr(context).Free();

        static Backend Of(IntPtr context) { return (Backend)GCHandle.FromIntPtr(context).Target; }

        static void Reply(IntPtr reply, Func<string> work)
        {
            int status = 0;
            byte[] text;
            try
            {
                text = Native.Encoded(work());
            }
            catch (Exception failure)
            {
                status = (int)Status.IO;
                text = Encoding.UTF8.GetBytes(failure.Message);
            }
            // A reply that is too late is of no interest to anyone.
            Native.sk_reply_send(reply, status, text, Native.Length(text));
        }
    }

    /// <summary>At most one of AppStore, Backend and Simulator.</summary>
    public sealed class PoolOptions
    {
        /// <summary>A path or postgres://…; null keeps all in memory, for tests.</summary>
        public string Vault { get; set; }
        public Verifier Verifier { get; set; }
        public string CatalogPath { get; set; }
        /// <summary>The text of a catalog, in place of a path.</summary>
        public byte[] Catalog { get; set; }
        public AppStore AppStore { get; set; }
        public Backend Backend { get; set; }
        public Simulator Simulator { get; set; }
        public ulong Capacity { get; set; }
        public long RefreshInterval { get; set; }
    }

    public sealed class Pool : Handle
    {
        StorekeeperException failure;
        int isClosing;

        Pool() { }

        protected override bool ReleaseHandle()
        {
            int status = Native.sk_pool_close(handle);
            if (status != 0) failure = StorekeeperException.Last(status);
            return status == 0;
        }

        /// <summary>Closes the pool before it returns, and throws if the vault cannot be closed. Dispose() closes it
        /// when the calls of other threads have ended. In a function of the pool's own backend, this call throws and
        /// Dispose() does nothing: the pool stays open.</summary>
        public new void Close()
        {
            if (!IsClosed && Interlocked.Exchange(ref isClosing, 1) == 0)
            {
                int status = Native.sk_pool_close(handle);
                var failed = status == 0 ? null : StorekeeperException.Last(status);
                if (status == (int)Status.Misuse)
                {
                    isClosing = 0;
                    throw failed;
                }
                SetHandleAsInvalid();
                failure = failed;
            }
            if (failure != null) throw failure;
        }

        public static Pool Open(PoolOptions options)
        {
            using (var memory = new Memory())
            {
                var plain = new Native.PoolOptions {
                    size = Native.Size<Native.PoolOptions>(), vault = memory.Text(options.Vault),
                    verifier = memory.Handle(options.Verifier), catalogPath = memory.Text(options.CatalogPath),
                    catalog = memory.Bytes(options.Catalog), catalogLength = Native.Length(options.Catalog),
                    simulator = memory.Handle(options.Simulator), capacity = new UIntPtr(options.Capacity),
                    refreshInterval = options.RefreshInterval };
                if (options.AppStore != null)
                    plain.appStore = memory.Struct(new Native.AppStore {
                        size = Native.Size<Native.AppStore>(), keyId = memory.Text(options.AppStore.KeyId),
                        issuerId = memory.Text(options.AppStore.IssuerId), key = memory.Text(options.AppStore.Key),
                        environments = (uint)options.AppStore.Environments });
                var context = default(GCHandle);
                if (options.Backend != null)
                {
                    var name = memory.Text(options.Backend.Name);
                    context = GCHandle.Alloc(options.Backend);
                    plain.backend = memory.Struct(new Native.Backend {
                        size = Native.Size<Native.Backend>(), name = name, context = GCHandle.ToIntPtr(context),
                        history = Backend.history, statuses = Backend.statuses, release = Backend.release });
                }
                Pool pool;
                int status = Native.sk_pool_open(ref plain, out pool);
                if (status != 0)
                {
                    var failed = StorekeeperException.Last(status);
                    if (context.IsAllocated) context.Free();
                    throw failed;
                }
                return pool;
            }
        }

        public Customer OpenCustomer(string id)
        {
            var text = Native.Encoded(id);
            Customer customer;
            Native.Check(Native.sk_customer_open(this, text, Native.Length(text), out customer));
            return customer;
        }

        public void BeginOpen(string id, Queue queue, ulong tag)
        {
            var text = Native.Encoded(id);
            Native.Check(Native.sk_begin_open(this, text, Native.Length(text), queue, tag));
        }

        public void LoadCatalog(string name, byte[] text)
        {
            Native.Check(Native.sk_pool_load_catalog(this, Native.WithZero(name), text, Native.Length(text)));
        }

        /// <summary>Stores a notification, and returns the HTTP status with which to answer the request.</summary>
        public int Receive(string body)
        {
            var text = Native.Encoded(body);
            int httpStatus;
            int status = Native.sk_pool_receive(this, text, Native.Length(text), out httpStatus);
            if (httpStatus == 0) Native.Check(status);
            return httpStatus;
        }

        public void BeginReceive(string body, Queue queue, ulong tag)
        {
            var text = Native.Encoded(body);
            Native.Check(Native.sk_begin_receive(this, text, Native.Length(text), queue, tag));
        }

        /// <summary>Returns the report of the audit; its "faults" is empty if the vault is sound.</summary>
        public string Audit()
        {
            Native.Text report;
            int status = Native.sk_pool_audit(this, out report);
            return Native.Result(report.bytes == IntPtr.Zero ? status : 0, report);
        }

        public void Subscribe(Queue queue, ulong tag, long after = 0)
        {
            Native.Check(Native.sk_pool_subscribe(this, queue, tag, after));
        }

        public void ReportTo(Queue queue, ulong tag) { Native.Check(Native.sk_pool_report(this, queue, tag)); }
        public void EndReports() { Native.Check(Native.sk_pool_report_none(this, IntPtr.Zero, 0)); }
    }

    /// Memory and handles for the members of structs, until the call has ended.
    sealed class Memory : IDisposable
    {
        readonly List<IntPtr> blocks = new List<IntPtr>();
        readonly List<SafeHandle> handles = new List<SafeHandle>();

        IntPtr Block(int size)
        {
            var block = Marshal.AllocHGlobal(size);
            blocks.Add(block);
            return block;
        }

        internal IntPtr Bytes(byte[] bytes)
        {
            if (bytes == null) return IntPtr.Zero;
            var block = Block(Math.Max(bytes.Length, 1));
            Marshal.Copy(bytes, 0, block, bytes.Length);
            return block;
        }

        internal IntPtr Text(string text) { return text == null ? IntPtr.Zero : Bytes(Native.WithZero(text)); }

        internal IntPtr Struct<Value>(Value value) where Value : struct
        {
            var block = Block(Marshal.SizeOf(typeof(Value)));
            Marshal.StructureToPtr(value, block, false);
            return block;
        }

        internal IntPtr Handle(SafeHandle handle)
        {
            if (handle == null) return IntPtr.Zero;
            var isHeld = false;
            handle.DangerousAddRef(ref isHeld);
            if (isHeld) handles.Add(handle);
            return handle.DangerousGetHandle();
        }

        public void Dispose()
        {
            blocks.ForEach(Marshal.FreeHGlobal);
            handles.ForEach(handle => handle.DangerousRelease());
        }
    }

    /// The structs and functions of storekeeper.h.
    static class Native
    {
        const string Name = "libstorekeeper.so.0";
        // Text with half of a surrogate pair is refused, because it has no UTF-8.
        static readonly Encoding utf8 = new UTF8Encoding(false, true);

        internal static void Check(int status) { if (status != 0) throw StorekeeperException.Last(status); }

        internal static byte[] Encoded(string text) { return utf8.GetBytes(text); }
        internal static UIntPtr Length(byte[] text) { return new UIntPtr(text == null ? 0 : (uint)text.Length); }
        internal static UIntPtr Size<Value>() { return new UIntPtr((uint)Marshal.SizeOf(typeof(Value))); }

        /// Converts a text that C reads up to a zero byte.
        internal static byte[] WithZero(string text)
        {
            if (text.IndexOf('\0') >= 0)
                throw new StorekeeperException((int)Status.Invalid, "zeroByte", "the text has a zero byte inside");
            return utf8.GetBytes(text + "\0");
        }

        internal static string Terminated(IntPtr text)
        {
            int length = 0;
            while (text != IntPtr.Zero && Marshal.ReadByte(text, length) != 0) length++;
            return Copied(text, length);
        }

        static string Copied(IntPtr text, int length)
        {
            var bytes = new byte[length];
            if (length > 0) Marshal.Copy(text, bytes, 0, length);
            return Encoding.UTF8.GetString(bytes);
        }

        /// Copies a text of the library, and frees it; throws the failure of the call that gave it.
        internal static string Result(int status, Text text)
        {
            var failure = status == 0 ? null : StorekeeperException.Last(status);
            try
            {
                if (failure != null) throw failure;
                return Copied(text.bytes, checked((int)text.length.ToUInt64()));
            }
            finally
            {
                sk_text_free(text.bytes);
            }
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct Text { internal IntPtr bytes; internal UIntPtr length; }

        [StructLayout(LayoutKind.Sequential)]
        internal struct VerifierOptions
        {
            internal UIntPtr size; internal IntPtr root; internal UIntPtr rootLength; internal IntPtr bundleId;
            internal long appAppleId; internal uint environments;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct AppStore
        {
            internal UIntPtr size; internal IntPtr keyId, issuerId, key; internal uint environments;
        }

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate void History(IntPtr context, IntPtr reply, IntPtr customer, IntPtr cursor);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate void Statuses(IntPtr context, IntPtr reply, IntPtr customer);
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate void Release(IntPtr context);

        [StructLayout(LayoutKind.Sequential)]
        internal struct Backend
        {
            internal UIntPtr size; internal IntPtr name, context; internal History history; internal Statuses statuses;
            internal Release release;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct PoolOptions
        {
            internal UIntPtr size; internal IntPtr vault, verifier, catalogPath, catalog;
            internal UIntPtr catalogLength; internal IntPtr appStore, backend, simulator; internal UIntPtr capacity;
            internal long refreshInterval;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct Answer
        {
            internal UIntPtr size; internal int kind; internal IntPtr reason; internal long until;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct Receipt
        {
            internal UIntPtr size; internal long balance; internal byte isReplayed;
            [MarshalAs(UnmanagedType.ByValArray, SizeConst = 32)] internal byte[] id;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct Item
        {
            internal UIntPtr size; internal int kind, status; internal ulong tag; internal long place;
            internal IntPtr customer; internal Text json;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct SimulatorOptions
        {
            internal UIntPtr size; internal IntPtr bundleId, catalogPath, catalog; internal UIntPtr catalogLength;
            internal long start; internal ulong seed;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct PollDescriptor { internal int descriptor; internal short events, found; }

        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr sk_version();
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr sk_error_code();
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr sk_error_message();
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void sk_text_free(IntPtr bytes);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_verifier_new(ref VerifierOptions options, out Verifier verifier);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void sk_verifier_free(IntPtr verifier);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_verify(Verifier verifier, byte[] jws, UIntPtr jwsLength, out Text payload);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_pool_open(ref PoolOptions options, out Pool pool);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_pool_close(IntPtr pool);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_pool_load_catalog(Pool pool, byte[] name, byte[] text, UIntPtr textLength);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_pool_receive(Pool pool, byte[] body, UIntPtr bodyLength, out int httpStatus);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_pool_audit(Pool pool, out Text json);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_pool_subscribe(Pool pool, Queue queue, ulong tag, long after);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_pool_report(Pool pool, Queue queue, ulong tag);
        [DllImport(Name, EntryPoint = "sk_pool_report", CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_pool_report_none(Pool pool, IntPtr none, ulong tag);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_customer_open(Pool pool, byte[] id, UIntPtr idLength, out Customer customer);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void sk_customer_free(IntPtr customer);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_has_feature(
            Customer customer, byte[] feature, UIntPtr featureLength, long at,
            [MarshalAs(UnmanagedType.I1)] out bool answer);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_is_entitled(
            Customer customer, byte[] product, UIntPtr productLength, long at,
            [MarshalAs(UnmanagedType.I1)] out bool answer);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_balance(Customer customer, byte[] name, UIntPtr nameLength, out long units);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_next_change(Customer customer, long at, out long change);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_snapshot_has_feature(
            Snapshot snapshot, byte[] feature, UIntPtr featureLength, long at,
            [MarshalAs(UnmanagedType.I1)] out bool answer);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_snapshot_is_entitled(
            Snapshot snapshot, byte[] product, UIntPtr productLength, long at,
            [MarshalAs(UnmanagedType.I1)] out bool answer);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_snapshot_balance(
            Snapshot snapshot, byte[] name, UIntPtr nameLength, out long units);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_snapshot_next_change(Snapshot snapshot, long at, out long change);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_feature_answer(
            Customer customer, byte[] feature, UIntPtr featureLength, long at, ref Answer answer);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_product_answer(
            Customer customer, byte[] product, UIntPtr productLength, long at, ref Answer answer);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_customer_snapshot(Customer customer, out Snapshot snapshot);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void sk_snapshot_free(IntPtr snapshot);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_snapshot_entitlements(Snapshot snapshot, long at, out Text json);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_snapshot_timeline(Snapshot snapshot, long at, out Text svg);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_customer_ingest(
            Customer customer, byte[] evidence, UIntPtr evidenceLength, [MarshalAs(UnmanagedType.I1)] bool isComplete,
            out Text json);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_customer_sync(Customer customer, out Text json);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_customer_spend(
            Customer customer, byte[] balance, UIntPtr balanceLength, long units, byte[] key, UIntPtr keyLength,
            ref Receipt receipt);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_customer_grant(
            Customer customer, byte[] balance, UIntPtr balanceLength, long units, byte[] reason, byte[] key,
            UIntPtr keyLength, ref Receipt receipt);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_customer_grant_feature(
            Customer customer, byte[] feature, UIntPtr featureLength, long until, byte[] reason, byte[] key,
            UIntPtr keyLength);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_customer_revoke_grant(
            Customer customer, byte[] reason, byte[] key, UIntPtr keyLength);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_customer_explain_feature(
            Customer customer, byte[] feature, UIntPtr featureLength, long at, out Text json);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_customer_explain_product(
            Customer customer, byte[] product, UIntPtr productLength, long at, out Text json);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_queue_new(out Queue queue);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void sk_queue_free(IntPtr queue);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_queue_fd(Queue queue, out int descriptor);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_queue_next(Queue queue, ref Item item);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_begin_open(Pool pool, byte[] id, UIntPtr idLength, Queue queue, ulong tag);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_begin_receive(Pool pool, byte[] body, UIntPtr bodyLength, Queue queue, ulong tag);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_begin_ingest(
            Customer customer, byte[] evidence, UIntPtr evidenceLength, [MarshalAs(UnmanagedType.I1)] bool isComplete,
            Queue queue, ulong tag);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_begin_sync(Customer customer, Queue queue, ulong tag);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_begin_spend(
            Customer customer, byte[] balance, UIntPtr balanceLength, long units, byte[] key, UIntPtr keyLength,
            Queue queue, ulong tag);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_begin_grant(
            Customer customer, byte[] balance, UIntPtr balanceLength, long units, byte[] reason, byte[] key,
            UIntPtr keyLength, Queue queue, ulong tag);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_reply_send(IntPtr reply, int status, byte[] text, UIntPtr textLength);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_simulator_new(ref SimulatorOptions options, out Simulator simulator);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void sk_simulator_free(IntPtr simulator);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_simulator_root(Simulator simulator, out Text pem);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_simulator_now(Simulator simulator, out long now);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_simulator_advance(Simulator simulator, long to);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_simulator_add_account(Simulator simulator, byte[] id, UIntPtr idLength);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_simulator_buy(
            Simulator simulator, byte[] id, UIntPtr idLength, byte[] product, UIntPtr productLength,
            out Text transaction);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_simulator_refund(
            Simulator simulator, byte[] transaction, UIntPtr transactionLength);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_simulator_set_auto_renew(
            Simulator simulator, byte[] transaction, UIntPtr transactionLength,
            [MarshalAs(UnmanagedType.I1)] bool isOn);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_simulator_evidence(
            Simulator simulator, byte[] id, UIntPtr idLength, out Text evidence);
        [DllImport(Name, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int sk_simulator_notifications(
            Simulator simulator, UIntPtr skip, out Text notifications);
        [DllImport("libc")]
        internal static extern int poll(ref PollDescriptor descriptors, UIntPtr count, int milliseconds);
    }
}
