// Tests of the layer for C#. STOREKEEPER_CONFIGURATION is the folder with the examples.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Storekeeper;

static class Tests
{
    const string BundleId = "com.example.lanternvale";
    static readonly string folder = Environment.GetEnvironmentVariable("STOREKEEPER_CONFIGURATION");

    static string PathOf(string name) { return Path.Combine(folder, name); }

    static void Expect(bool holds, string what) { if (!holds) throw new Exception("expected: " + what); }

    static void Equal<Value>(Value found, Value expected)
    {
        if (!Equals(found, expected)) throw new Exception(found + ", but expected " + expected);
    }

    static StorekeeperException Failure(Action action)
    {
        try
        {
            action();
        }
        catch (StorekeeperException failure)
        {
            return failure;
        }
        throw new Exception("the call has not failed");
    }

    /// Waits for an item, at most ten seconds.
    static Item Wait(Queue queue)
    {
        var item = queue.Wait(TimeSpan.FromSeconds(10));
        Expect(item != null, "an item");
        return item;
    }

    static void PurchaseSpendAndEvent()
    {
        using (var simulator = Simulator.Create(BundleId, PathOf("Store.storekit")))
        using (var queue = Queue.Create())
        {
            simulator.AddAccount("anna");
            var pool = Pool.Open(new PoolOptions { Simulator = simulator, CatalogPath = PathOf("Products.json") });
            pool.BeginOpen("anna", queue, 1);
            var opened = Wait(queue);
            Equal(opened.Kind, ItemKind.Result);
            Equal(opened.Tag, 1ul);
            var anna = opened.Customer;
            anna.Sync();
            pool.Subscribe(queue, 5);

            var bought = simulator.Buy("anna", "gold.monthly");
            simulator.Buy("anna", "coins.100");
            anna.Sync();
            var news = Wait(queue);
            Equal(news.Kind, ItemKind.Event);
            Equal(news.Tag, 5ul);
            Expect(news.Json.Contains("\"anna\""), "an event of anna");

            var now = simulator.Now;
            Expect(anna.HasFeature("pro"), "pro");
            Expect(anna.IsEntitled("gold.monthly", now), "gold.monthly");
            Expect(!anna.IsEntitled("remove.ads"), "not remove.ads");
            Expect(anna.NextChange() > now, "a later change");
            var answer = anna.Feature("pro");
            Equal(answer.Kind, AnswerKind.Entitled);
            Equal(answer.Reason, "active");
            Expect(anna.ExplainFeature("pro").Contains("\"entitled\""), "an explanation");
            var snapshot = anna.Snapshot();
            Expect(snapshot.Timeline(now).Contains("<svg"), "a picture");

            var first = anna.Spend(30, "coins", "lantern-42");
            var again = anna.Spend(30, "coins", "lantern-42");
            Expect(first.Balance == 70 && !first.IsReplayed, "a first receipt");
            Expect(again.Balance == 70 && again.IsReplayed && again.Id == first.Id, "the same receipt");
            Expect(first.Id.StartsWith("spend-"), "an id");
            Equal(anna.Balance("coins"), 70L);
            Equal(Failure(() => anna.Spend(1000, "coins", "lantern-43")).Status, Status.Refused);
            Equal(anna.Grant(5, "coins", "", "ticket-0").Balance, 75L);

            var failure = Failure(() => anna.HasFeature("daily-lantrn"));
            Equal(failure.Status, Status.Unknown);
            Equal(failure.Code, "unknownFeature");
            Expect(failure.Message.Contains("daily-lantern"), "the nearest name");
            Equal(Failure(() => anna.HasFeature("")).Status, Status.Invalid);
            Equal(Failure(() => anna.GrantFeature("pro", 9, "a lost\0day", "ticket-1")).Status, Status.Invalid);

            simulator.Refund(bought);
            anna.Sync();
            Equal(anna.Feature("pro").Reason, "refunded");
            Expect(pool.Audit().Contains("\"faults\""), "a report");
            // A pool is closed when Close() returns, also if another thread still uses its handle.
            var isHeld = false;
            pool.DangerousAddRef(ref isHeld);
            pool.Close();
            Equal(Failure(() => anna.HasFeature("pro")).Status, Status.Closed);
            pool.DangerousRelease();
            pool.Close();
            Expect(snapshot.HasFeature("pro", now), "a snapshot that outlives the pool");
            anna.Dispose();
            try
            {
                anna.HasFeature("pro");
                throw new Exception("a disposed customer has answered");
            }
            catch (ObjectDisposedException)
            {
            }
        }
    }

    static void VerifierAndBeginning()
    {
        using (var verifier = Verifier.Create(File.ReadAllBytes(PathOf("evidence/root.pem")), BundleId))
        using (var pool = Pool.Open(new PoolOptions { Verifier = verifier, CatalogPath = PathOf("Products.json") }))
        using (var anna = pool.OpenCustomer("änna"))
        using (var queue = Queue.Create())
        {
            Equal(Failure(() => verifier.Verify("a.b.c")).Status, Status.Unverified);
            var evidence = File.ReadAllText(PathOf("evidence/coins-one-refunded.jsonl"));
            Expect(anna.Ingest(evidence + "\na.b.c\n", true).Contains("\"failures\""), "a report");
            Equal(anna.Balance("coins"), 700L);
            Equal(pool.Receive("{\"signedPayload\":\"a.b.c\"}"), 400);
            anna.BeginSpend(9000, "coins", "lantern-43", queue, 2);
            var refused = Wait(queue);
            Equal(refused.Status, Status.Refused);
            Expect(refused.Json.Contains("insufficient"), "a code");
            Expect(queue.Next() == null && queue.Wait(TimeSpan.FromMilliseconds(1)) == null, "an empty queue");

            // The description of a failure is that of the caller, whatever the other threads do.
            int wrong = 0;
            var threads = new[] { "prro", "nws", "season-aren" }.Select(name => new Thread(() => {
                for (int i = 0; i < 1000; i++)
                    if (!Failure(() => anna.HasFeature(name)).Message.Contains(name)) Interlocked.Increment(ref wrong);
            })).ToList();
            threads.ForEach(thread => thread.Start());
            threads.ForEach(thread => thread.Join());
            Equal(wrong, 0);
        }
    }

    sealed class Archive : Backend
    {
        internal Simulator simulator;
        internal bool fails;
        internal Pool closing;
        internal string code;

        public override string History(string customer, string cursor)
        {
            var pool = closing;
            closing = null;
            if (pool != null) code = Failure(() => pool.Close()).Code;
            if (fails) throw new IOException("the archive is away");
            var lines = simulator.Evidence(customer).Split(new[] { '\n' }, StringSplitOptions.RemoveEmptyEntries);
            return "{\"items\":[\"" + string.Join("\",\"", lines) + "\"]}";
        }
    }

    static void OwnBackend()
    {
        var catalog = File.ReadAllBytes(PathOf("Store.storekit"));
        using (var simulator = Simulator.Create(BundleId, catalog: catalog))
        {
            simulator.AddAccount("anna");
            simulator.Buy("anna", "gold.monthly");
            var root = System.Text.Encoding.ASCII.GetBytes(simulator.Root);
            var archive = new Archive { simulator = simulator };
            using (var verifier = Verifier.Create(root, BundleId, Environments.Sandbox))
            using (var pool = Pool.Open(new PoolOptions { Verifier = verifier, Catalog = catalog, Backend = archive }))
            using (var anna = pool.OpenCustomer("anna"))
            {
                var signed = simulator.Evidence("anna").Split('\n')[0];
                Expect(verifier.Verify(signed).Contains("gold.monthly"), "a payload");
                anna.Sync();
                GC.Collect();
                GC.WaitForPendingFinalizers();
                Expect(anna.IsEntitled("gold.monthly", simulator.Now), "gold.monthly");
                archive.fails = true;
                Expect(Failure(() => anna.Sync()).Message.Contains("the archive is away"), "the backend's message");
                // A method of the backend cannot close the pool, which stays open until it is closed elsewhere.
                archive.fails = false;
                archive.closing = pool;
                anna.Sync();
                Equal(archive.code, "ownBackend");
                anna.Sync();
                pool.Close();
                Equal(Failure(() => anna.Sync()).Status, Status.Closed);
            }
        }
    }

    static int Main()
    {
        // Mono stops threads by signals, which the library's threads block.
        var isMono = Type.GetType("Mono.Runtime") != null;
        var tests = new List<Action> { PurchaseSpendAndEvent, VerifierAndBeginning };
        if (!isMono) tests.Add(OwnBackend);
        foreach (var test in tests) test();
        Console.WriteLine("C#: " + tests.Count + " tests have passed with libstorekeeper " + Library.Version);
        return 0;
    }
}
