#if canImport(StorekeeperC)
    import CStorekeeper
    import Foundation
    import Storekeeper
    import StorekeeperC
    import StorekeeperJWS

    /// One customer in Swift and the same customer through the functions of `storekeeper.h`.
    ///
    /// Both have the same 1,000 transactions, in a vault in memory. The functions are linked into this program, so that the
    /// ratio is that of the code.
    private struct LibraryCustomers {
        let product = SampleShop.subscriptions[0].id
        let items: SignedItems
        let store: Store
        let library: Library

        init() async throws {
            items = try SignedItems(count: 1_000)
            let customer = CustomerID(rawValue: "7e3fb20b-4cdb-47cc-936d-99d65f608138")
            let catalog = """
                {"products":[{"id":"\(product)","type":"autoRenewable"},
                             {"id":"coins.100","type":"consumable","grants":{"coins":100}}],
                 "features":{"pro":["\(product)"],"ad-free":["\(product)"]}}
                """
            var configuration = StorePool.Configuration()
            configuration.store.catalog = try Catalog(
                reading: [CatalogFile(name: "catalog", bytes: Array(catalog.utf8))])
            let pool = StorePool(
                configuration: configuration, vault: InMemoryVault(), verifier: JWSVerifier(items.configuration))
            store = try await pool.withStore(customer) { $0 }
            try await store.ingest(items.texts, isComplete: true)
            try await store.grant(1_000, of: "coins", because: "a benchmark", key: "supply")

            library = try await Library(root: items.root.pem, catalog: catalog, customer: customer.rawValue)
            let evidence = items.texts.joined(separator: "\n")
            try await library.call { sk_customer_ingest($0, evidence, evidence.utf8.count, true, nil) }
            try await library.call { sk_customer_grant($0, "coins", -1, 1_000, "a benchmark", "supply", -1, nil) }
        }
    }

    /// The questions of each tick, in Swift and in C.
    func libraryQuestionCases() async throws -> BenchmarkGroup? {
        let customers = try await LibraryCustomers()
        let (store, handle, product) = (customers.store, customers.library.handle, customers.product)
        let start = Instant(clamped: 1_767_225_600_000)
        let (feature, coins) = (Feature.ID("pro"), Balance.ID("coins"))
        // Constants of the caller, as in C.
        let productText = UnsafePointer(strdup(product.rawValue))
        let (featureText, coinsText) = (UnsafePointer(strdup("pro")), UnsafePointer(strdup("coins")))
        let productLength = product.rawValue.utf8.count

        let operations = 1_000
        func question(
            _ name: String, _ comparisons: BenchmarkCase.Comparison..., ask: @escaping (Int64) -> Bool
        ) -> BenchmarkCase {
            BenchmarkCase(name, operations: operations, comparisons) { calls in
                let begun = Stopwatch.threadTime.seconds
                var answered = 0
                for number in 0..<operations * calls where ask(Int64(number)) { answered += 1 }
                let seconds = Stopwatch.threadTime.seconds - begun
                guard answered == operations * calls else { throw BenchmarkError("\(name): an answer is wrong") }
                return seconds
            }
        }
        func inSwift(_ number: Int64) -> Instant { start.adding(milliseconds: number) }
        func inC(_ number: Int64) -> Int64 { start.millisecondsSince1970 + number }
        let expected = (
            store.snapshot.isEntitled(product, at: start), store.snapshot.hasFeature(feature, at: start),
            store.snapshot.nextChange(after: start)?.millisecondsSince1970 ?? .max
        )
        var (yes, units, change) = (false, Int64(0), Int64(0))
        return BenchmarkGroup(
            title: "The library for other languages (per question)",
            cases: [
                question("isEntitled(_:at:)") { store.snapshot.isEntitled(product, at: inSwift($0)) == expected.0 },
                question("sk_is_entitled", .time(of: "isEntitled(_:at:)", atMost: 1.5)) {
                    sk_is_entitled(handle, productText, productLength, inC($0), &yes) == 0 && yes == expected.0
                },
                question("hasFeature(_:at:)") { store.snapshot.hasFeature(feature, at: inSwift($0)) == expected.1 },
                question("sk_has_feature", .time(of: "hasFeature(_:at:)", atMost: 1.5)) {
                    sk_has_feature(handle, featureText, 3, inC($0), &yes) == 0 && yes == expected.1
                },
                question("balance(of:)") { _ in store.snapshot.balance(of: coins).amount == 1_000 },
                // Without a limit: in Swift it compares a few names, so that most of the time in C is the same for every
                // question: checking and keeping the handle, and finding the name.
                question("sk_balance", .time(of: "balance(of:)")) { _ in
                    sk_balance(handle, coinsText, 5, &units) == 0 && units == 1_000
                },
                question("nextChange(after:)") { number in
                    (store.snapshot.nextChange(after: inSwift(number))?.millisecondsSince1970 ?? .max) >= expected.2
                },
                question("sk_next_change", .time(of: "nextChange(after:)", atMost: 1.5)) { number in
                    sk_next_change(handle, inC(number), &change) == 0 && change >= expected.2
                },
            ])
    }

    /// The taking of evidence, in Swift and in C.
    func libraryIngestCases() async throws -> BenchmarkGroup? {
        let customers = try await LibraryCustomers()
        let (store, library) = (customers.store, customers.library)
        let count = 10
        let known = customers.items.texts.prefix(count).joined(separator: "\n")
        return BenchmarkGroup(
            title: "The library for other languages: known transactions (per transaction, time on the wall)",
            cases: [
                BenchmarkCase("ingest(_:isComplete:)", operations: count, clock: .wallTime) {
                    try await store.ingest(EvidenceFile(Array(known.utf8)).signed)
                },
                BenchmarkCase(
                    "sk_customer_ingest", operations: count, [.time(of: "ingest(_:isComplete:)", atMost: 1.2)]
                ) { calls in
                    try await library.time(calls) { sk_customer_ingest($0, known, known.utf8.count, false, nil) }
                },
            ])
    }

    /// A pool and a customer of the library.
    // It is unchecked because it has a handle, which any thread may use.
    private struct Library: @unchecked Sendable {
        let handle: OpaquePointer

        init(root: String, catalog: String, customer: String) async throws {
            let bits = try await Self.onThread {
                root.withCString { root in
                    catalog.withCString { catalog in
                        "com.example.game".withCString { bundleID in
                            Self.open(root, catalog, bundleID, customer).map { Int(bitPattern: $0) }
                        }
                    }
                }
            }
            guard let handle = OpaquePointer(bitPattern: bits) else { throw BenchmarkError("there is no customer") }
            self.handle = handle
        }

        private static func open(
            _ root: UnsafePointer<CChar>, _ catalog: UnsafePointer<CChar>, _ bundleID: UnsafePointer<CChar>,
            _ customer: String
        ) -> OpaquePointer? {
            var trust = sk_verifier_options()
            trust.size = MemoryLayout<sk_verifier_options>.size
            (trust.root, trust.root_length, trust.bundle_id) = (root, strlen(root), bundleID)
            var (options, pool, handle) = (sk_pool_options(), OpaquePointer?.none, OpaquePointer?.none)
            options.size = MemoryLayout<sk_pool_options>.size
            (options.catalog, options.catalog_length) = (catalog, strlen(catalog))
            guard sk_verifier_new(&trust, &options.verifier) == 0, sk_pool_open(&options, &pool) == 0,
                sk_customer_open(pool, customer, -1, &handle) == 0
            else { return nil }
            return handle
        }

        /// Runs a call that waits, in a thread that is not one of Swift's.
        func call(_ work: @escaping @Sendable (OpaquePointer) -> sk_status) async throws {
            _ = try await time(1, work)
        }

        /// Returns the seconds on the wall of calls that wait.
        func time(_ calls: Int, _ work: @escaping @Sendable (OpaquePointer) -> sk_status) async throws -> Double {
            try await Self.onThread {
                let start = Stopwatch.wallTime.seconds
                for _ in 0..<calls where work(handle) != 0 { return nil }
                return Stopwatch.wallTime.seconds - start
            }
        }

        private static func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value?) async throws -> Value {
            let value = await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: work()) }
            }
            guard let value else { throw BenchmarkError("a call of the library has failed") }
            return value
        }
    }
#else
    /// The library for other languages needs Swift 6.3.
    func libraryQuestionCases() async throws -> BenchmarkGroup? { nil }
    func libraryIngestCases() async throws -> BenchmarkGroup? { nil }
#endif
