import Hummingbird
import NIOCore
import Storekeeper
import StorekeeperCharts

/// The routes that answer questions about customers.
extension CompanionService {
    /// Responds with the same document as `storekeeper entitlements --format json`.
    func entitlements(_ request: CompanionRequest) async throws -> Response {
        let (customer, instant) = (try request.customer(), try request.instant("at"))
        let (snapshot, at, diagnostics) = try await diagnosed(customer, at: instant, now: request.now)
        // The balances of an earlier instant follow from the account, which a snapshot does not contain.
        let isPast = at < snapshot.now(byClock: request.now)
        let answers =
            try await isPast ? snapshot.answers(at: at, account: account(of: customer)) : snapshot.answers(at: at)
        var members = answers.members
        members["diagnostics"] = .array(diagnostics)
        return Self.json(.object(members))
    }

    /// Reads a customer's account.
    private func account(of customer: CustomerID) async throws(VaultError) -> DatedAccount {
        let record = try await pool.vault.load(customer)
        let entries = try await pool.vault.account(of: customer, through: record.lastEntry.number)
        return DatedAccount(entries.filter(\.kind.movesBalance), facts: record.facts)
    }

    /// Returns the snapshot of a customer and the diagnostics that the command line would show.
    private func diagnosed(
        _ customer: CustomerID, at instant: Instant?, now: Instant
    ) async throws -> (StoreSnapshot, Instant, [JSONText]) {
        try await pool.withStore(customer) { store in
            let (snapshot, at, diagnostics) = try await store.diagnosed(at: instant, now: now)
            return (snapshot, at, diagnostics.map(\.json))
        }
    }

    /// Responds with one list from the document about entitlements, such as `features`.
    func part(_ name: String, _ request: CompanionRequest) async throws -> Response {
        let at = try request.instant("at")
        let snapshot = try await pool.snapshot(of: try request.customer())
        let answers = snapshot.answers(at: at ?? snapshot.now(byClock: request.now))
        let members = ["at", "verified", name]
        return Self.json(.object(answers.members.filter { members.contains($0.key) }))
    }

    /// Responds with the same document as `storekeeper check --feature ID --format json`.
    func feature(_ request: CompanionRequest) async throws -> Response {
        let instant = try request.instant("at")
        let snapshot = try await pool.snapshot(of: try request.customer())
        let at = instant ?? snapshot.now(byClock: request.now)
        return Self.json(try Self.check(.feature(Feature.ID(try request.name("feature"))), in: snapshot, at: at))
    }

    /// The feature or product that is checked for many customers.
    enum Subject {
        case feature(Feature.ID)
        case product(Product.ID)
    }

    /// Returns a customer's answer for the feature or product that is checked.
    static func check(
        _ subject: Subject, in snapshot: StoreSnapshot, at instant: Instant, _ more: [String: JSONText] = [:]
    ) throws(Problem) -> JSONText {
        let resolution = snapshot.resolution
        let (answer, until): (EntitlementAnswer, Instant?)
        var by: Product.ID?
        switch subject {
        case .feature(let id):
            guard let timeline = resolution.feature(id)?.timeline else {
                throw .unknownName(.unknownFeature, id.rawValue, known: resolution.features.map(\.id.rawValue))
            }
            (answer, until) = (snapshot.feature(id, at: instant), timeline.nextChange(after: instant))
            by = timeline.value(at: instant).productID
        case .product(let id):
            guard !resolution.isConsumable(id) else {
                throw .badRequest("'\(id)' is a consumable, which is counted and not owned", "request its balance")
            }
            guard resolution.product(id) != nil else {
                throw .unknownName(.unknownProduct, id.rawValue, known: resolution.products.map(\.id.rawValue))
            }
            (answer, until) = (
                snapshot.entitlement(for: id, at: instant),
                resolution.product(id)?.timeline.nextChange(after: instant)
            )
        }
        let trusted = answer.isEntitled ? snapshot.freshness.trustEndsAt : nil
        var members: [String: JSONText] = [
            "answer": .string(answer.word), "reason": .string(answer.reasonWord),
            "until": .time([until, trusted].compactMap { $0 }.min()), "verified": .bool(resolution.isVerified),
        ]
        if let by {
            members["by"] = .text(by)
            members["ownership"] = .text(answer.basis?.transaction.ownershipType.word)
            members["transactionID"] = .text(answer.basis?.transaction.id)
        }
        if !more.isEmpty { members.merge(more) { own, _ in own } }
        return .object(members)
    }

    /// Responds with the answers of many customers for one feature or product, in the order of the request.
    func checks(_ request: CompanionRequest) async throws -> Response {
        let object = try await request.object()
        let (kind, name) = try CompanionRequest.choice("feature", "product", in: object)
        let subject: Subject = kind == "feature" ? .feature(Feature.ID(name)) : .product(Product.ID(name))
        var at: Instant?
        if let text = try CompanionRequest.text("at", in: object) {
            guard let instant = CompanionRequest.instant(text) else {
                throw Problem.badRequest("'at' is not a valid time", "write it like 2026-03-01T09:30:00Z")
            }
            at = instant
        }
        let list = object["customers"]?.array.map(Array.init) ?? []
        guard !list.isEmpty, list.count <= Self.maximumCustomers else {
            throw Problem.badRequest(
                "'customers' is not an array of 1 to \(Self.maximumCustomers) ids", "send several requests for more")
        }
        var customers: [CustomerID] = []
        for item in list {
            guard let id = item.string, !id.isEmpty else {
                throw Problem.badRequest("an item of 'customers' is not an id", "give nonempty strings")
            }
            try CompanionRequest.check(id, "customer")
            customers.append(CustomerID(rawValue: id))
        }
        let rows = try await check(subject, of: customers, at: at, orNow: request.now)
        return Self.json(.object(["at": .time(at ?? request.now), "checks": .array(rows)]))
    }

    private static let maximumCustomers = 1_000
    /// The number of customers whose data is read concurrently.
    private static let width = 16

    /// Returns the answer of each customer at an instant, or now if no instant is given.
    ///
    /// Evidence that was signed later than the clock's time can move a customer's present ahead of the clock. In this
    /// case, the customer's answer is for that present, which the result states.
    private func check(
        _ subject: Subject, of customers: [CustomerID], at instant: Instant?, orNow clock: Instant
    ) async throws -> [JSONText] {
        var rows: [Int: JSONText] = [:]
        try await withThrowingTaskGroup(of: (Int, JSONText).self) { group in
            var next = 0
            while rows.count < customers.count {
                while next < customers.count, next - rows.count < Self.width {
                    let (index, customer) = (next, customers[next])
                    group.addTask {
                        let snapshot = try await pool.snapshot(of: customer)
                        let at = instant ?? snapshot.now(byClock: clock)
                        var more = ["customer": JSONText.string(customer.rawValue)]
                        if instant == nil, at > clock { more["at"] = .time(at) }
                        return (index, try Self.check(subject, in: snapshot, at: at, more))
                    }
                    next += 1
                }
                guard let (index, row) = try await group.next() else { break }
                rows[index] = row
            }
        }
        return customers.indices.compactMap { rows[$0] }
    }

    /// Responds with the same document as `storekeeper explain --format json`.
    func explanation(_ request: CompanionRequest) async throws -> Response {
        let instant = try request.instant("at")
        let (product, feature) = (try request.parameter("product"), try request.parameter("feature"))
        let document = try await pool.withStore(try request.customer()) { store in
            let (snapshot, at, diagnostics) = try await store.diagnosed(at: instant, now: request.now)
            let id: Product.ID
            switch (product, feature) {
            case (let product?, nil):
                id = Product.ID(product)
                _ = try Self.check(.product(id), in: snapshot, at: at)
            case (nil, let name?):
                let feature = Feature.ID(name)
                _ = try Self.check(.feature(feature), in: snapshot, at: at)
                guard let explanation = try await store.explain(feature, at: at) else {
                    throw Problem.badRequest("no product has the feature '\(feature)'", "add one to the catalog")
                }
                return Self.document(explanation, snapshot, diagnostics)
            case (nil, nil):
                throw Problem.badRequest("no product or feature is given", "give either 'product' or 'feature'")
            case (_?, _?):
                throw Problem.badRequest("both a product and a feature are given", "give only one of them")
            }
            return Self.document(try await store.explain(id, at: at), snapshot, diagnostics)
        }
        return Self.json(document)
    }

    /// Returns the JSON document of an explanation.
    private static func document(
        _ explanation: Explanation, _ snapshot: StoreSnapshot, _ diagnostics: [Diagnostic]
    ) -> JSONText {
        var members = explanation.members
        members["verified"] = .bool(snapshot.resolution.isVerified)
        members["diagnostics"] = .array(diagnostics.map(\.json))
        return .object(members)
    }

    /// Responds with the same document as `storekeeper timeline --format json`, or with an SVG picture if the client
    /// accepts SVG.
    func timeline(_ request: CompanionRequest) async throws -> Response {
        let (start, end) = (try request.instant("from"), try request.instant("until"))
        if let start, let end, start >= end {
            throw Problem.badRequest("'from' is not before 'until'", "exchange them")
        }
        let (snapshot, now, diagnostics) = try await diagnosed(
            try request.customer(), at: nil, now: request.now)
        let resolution = snapshot.resolution(asCompleteAt: now)
        guard request.http.headers[.accept]?.contains("image/svg+xml") == true else {
            return Self.json(
                .object([
                    "products": .array(resolution.products.map { $0.json(from: start, to: end) }),
                    "features": .array(resolution.features.map { $0.json(from: start, to: end) }),
                    "verified": .bool(resolution.isVerified), "diagnostics": .array(diagnostics),
                ]))
        }
        let chart = TimelineChart(
            resolution.products, resolution.features, in: resolution, omitsEmpty: true, from: start, to: end,
            marking: now)
        return Response(
            status: .ok,
            headers: [
                .contentType: "image/svg+xml", .cacheControl: "no-store",
                .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: chart.svg(title: "What the customer owns"))))
    }
}
