import FoundationEssentials
import StorekeeperTesting
import Testing

@testable import Storekeeper

/// The columns of a kind are listed three times: in its table, and where a row is written and read.
struct RowKindTests {
    /// Returns the row that is read from the written columns; `nil` if the columns do not fit the table.
    private func copied<Row: RowKind>(_ row: Row) throws -> Row? {
        let buffer = RowBuffer()
        row.write(to: buffer)
        guard buffer.count == Row.table.columns.count else { return nil }
        for (number, column) in Row.table.columns.enumerated() {
            let tag = buffer.cells[number].tag
            let isFitting =
                switch column.type {
                case .place, .int: tag == .int
                case .owner: tag == .owner
                case .text: tag == .text
                }
            guard isFitting || column.isOptional && tag == .null else { return nil }
        }
        var reader = RowReader(buffer)
        return try Row(from: &reader)
    }

    private func text(_ random: inout SplitMix64) -> String {
        let texts = ["", "coins", "größe", "a\u{0}b", String(repeating: "x", count: 70_000), "\(random.next())"]
        return texts.randomElement(using: &random) ?? ""
    }

    private func cause(_ random: inout SplitMix64) -> LedgerEntry.Cause {
        let key = LedgerRequest.Key(text(&random))
        let (name, other) = (text(&random), text(&random))
        let chain = ChainID(
            bundleID: name, environment: .production, originalID: Transaction.ID(rawValue: other))
        return switch random.number(in: 0...6) {
        case 0:
            .transaction(
                TransactionKey(bundleID: name, environment: .sandbox, transactionID: Transaction.ID(other)),
                productID: Product.ID(text(&random)), target: .random(in: -1...500, using: &random))
        case 1: .request(key: key, reason: random.number(in: 0...1) == 0 ? nil : name)
        case 2: .access(.product(Product.ID(name)), until: .day(3), key: key, reason: other)
        case 3: .access(.feature(Feature.ID(name)), until: .day(3), key: key, reason: other)
        case 4: .revocation(key: key, reason: name)
        case 5:
            .transfer(
                .chain(chain), from: CustomerID(rawValue: name), to: CustomerID(rawValue: other), reason: "moved")
        default:
            .transfer(
                .token(UUID()), from: CustomerID(rawValue: name), to: CustomerID(rawValue: other), reason: name)
        }
    }

    @Test("Every row is read as it was written")
    func roundTrip() {
        checkProperty("a written entry is read") { random in
            LedgerEntry(
                place: FeedPlace(.random(in: 1...100, using: &random)), number: .random(in: 1...9, using: &random),
                customer: CustomerID(rawValue: text(&random)), at: .day(random.number(in: 0...900)),
                kind: LedgerEntry.Kind.allCases.randomElement(using: &random) ?? .credit,
                balance: Balance.ID(text(&random)), change: .random(in: .min ... .max, using: &random),
                after: .random(in: .min ... .max, using: &random), cause: cause(&random),
                recordedBy: random.number(in: 0...1) == 0 ? nil : text(&random))
        } holds: { entry in
            try copied(entry) == entry
        }
        checkProperty("a written balance is read") { random in
            BalanceRow(
                Balance(
                    id: Balance.ID(text(&random)), credited: .random(in: 0...9, using: &random), spent: 2,
                    clawedBack: .random(in: 0...9, using: &random), restored: 4),
                of: CustomerID(rawValue: text(&random)))
        } holds: { row in
            try copied(row) == row
        }
    }

    @Test("Every event is read as it was written")
    func eventRoundTrip() {
        checkProperty("a written event is read") { random in
            let (name, other) = (text(&random), text(&random))
            func answer(_ random: inout SplitMix64) -> StoreEvent.Answer {
                StoreEvent.Answer(
                    word: text(&random), reason: text(&random),
                    productID: random.number(in: 0...1) == 0 ? nil : Product.ID(name),
                    transactionID: random.number(in: 0...1) == 0 ? nil : Transaction.ID(other),
                    until: random.number(in: 0...1) == 0 ? nil : .day(random.number(in: 0...900)))
            }
            let subject: StoreEvent.Subject =
                switch random.number(in: 0...2) {
                case 0: .product(Product.ID(other))
                case 1: .feature(Feature.ID(other))
                default: .group(SubscriptionGroup.ID(other))
                }
            return StoreEvent(
                place: FeedPlace(.random(in: 1...100, using: &random)), customer: CustomerID(rawValue: name),
                change: StoreEvent.Change(
                    at: .day(random.number(in: 0...900)), subject: subject, before: answer(&random),
                    after: answer(&random)))
        } holds: { event in
            try copied(event) == .some(event)
        }
    }

    @Test("Every row without an owner or without a place is read as it was written")
    func smallRoundTrips() {
        checkProperty("a written cursor is read") { random in
            CursorRow(
                backend: UpdateCursor.Backend(text(&random)), cursor: UpdateCursor(rawValue: text(&random)))
        } holds: { row in
            try copied(row) == row
        }
        checkProperty("a written notification is read") { random in
            NotificationRow(uuid: ServerNotification.ID(text(&random)), at: .day(random.number(in: 0...900)))
        } holds: { row in
            try copied(row) == row
        }
    }

    @Test("Every row of a webhook is read as it was written")
    func webhookRoundTrips() {
        func some<Value>(_ value: Value, _ random: inout SplitMix64) -> Value? {
            random.number(in: 0...1) == 0 ? nil : value
        }
        checkProperty("a written state is read") { random in
            WebhookRow(
                WebhookState(
                    queuedThrough: FeedPlace(.random(in: 0...100, using: &random)),
                    pause: some(.init(at: .day(3), reason: text(&random)), &random)), of: text(&random))
        } holds: { row in
            try copied(row) == row
        }
        checkProperty("a written queue is read") { random in
            WebhookQueueRow(
                WebhookQueue(
                    customer: CustomerID(rawValue: text(&random)), deliveredThrough: FeedPlace(3),
                    queuedThrough: FeedPlace(.random(in: 3...100, using: &random)), dueAt: .day(4),
                    failures: random.number(in: 0...9), failingSince: some(.day(5), &random),
                    hold: some(.init(node: text(&random), until: .day(6)), &random)), of: text(&random))
        } holds: { row in
            try copied(row) == row
        }
        checkProperty("a written attempt is read") { random in
            WebhookAttempt(
                webhook: text(&random),
                place: WebhookAttempt.Place(at: .day(7), number: .random(in: 0...100, using: &random)),
                customer: CustomerID(rawValue: text(&random)), event: FeedPlace(8), messageID: text(&random),
                number: random.number(in: 1...9), milliseconds: .random(in: 0...100, using: &random),
                outcome: WebhookAttempt.Outcome.allCases.randomElement(using: &random) ?? .gone,
                status: some(random.number(in: 200...599), &random), problem: some(text(&random), &random))
        } holds: { row in
            try copied(row) == row
        }
        checkProperty("a written parked message is read") { random in
            ParkedWebhook(
                webhook: text(&random), event: FeedPlace(.random(in: 1...100, using: &random)),
                customer: CustomerID(rawValue: text(&random)), messageID: text(&random), since: .day(9),
                attempts: random.number(in: 1...9), problem: some(text(&random), &random))
        } holds: { row in
            try copied(row) == row
        }
    }

    @Test("Every pending purchase is read as it was written, and a shorter list replaces a longer one")
    func pendingPurchases() async throws {
        checkProperty("a written pending purchase is read") { random in
            PendingRow(
                PendingPurchase(
                    productID: Product.ID(text(&random)),
                    reason: random.number(in: 0...1) == 0 ? .askToBuy : .bankApproval,
                    startedAt: .day(random.number(in: 0...900)), endsAt: .distantFuture),
                at: random.number(in: 0...9), of: CustomerID(rawValue: text(&random)))
        } holds: { row in
            try copied(row) == row
        }
        let vault = InMemoryVault()
        @Sendable func purchases(_ ids: [Product.ID]) -> [PendingPurchase] {
            ids.map { PendingPurchase(productID: $0, reason: .askToBuy, startedAt: .day(1), endsAt: .day(2)) }
        }
        for ids: [Product.ID] in [["b"], ["b", "a", "c"], ["c", "a"], []] {
            let found = try await vault.write([]) { tables throws(VaultError) in
                try tables.setPending(purchases(ids), of: "anna")
                return try tables.pending(of: "anna")
            }
            #expect(found == purchases(ids))
        }
    }

    @Test("All rows of a table without places are listed in memory, in the order of their keys")
    func listedWithoutPlaces() async throws {
        let vault = InMemoryVault()
        for backend in ["b", "a"] { try await vault.setCursor(UpdateCursor(rawValue: "1"), of: backend) }
        try await vault.setCursor(UpdateCursor(rawValue: "2"), of: "b")
        let rows = try vault.readNow { tables throws(VaultError) in try tables.all(of: CursorRow.self) }
        #expect(rows.map(\.backend.rawValue) == ["a", "b"])
        #expect(rows.map(\.cursor.rawValue) == ["1", "2"])
    }

    @Test("A packed row is unpacked as it was, and packed keys are in the order of their last parts")
    func packing() {
        checkProperty("an unpacked row is the packed one") { random in
            BalanceRow(
                Balance(
                    id: Balance.ID(text(&random)), credited: .random(in: .min ... .max, using: &random), spent: 0,
                    clawedBack: -1, restored: 4), of: CustomerID(rawValue: text(&random)))
        } holds: { row in
            let cells = RowBuffer(capacity: 16)
            cells.unpack(PackedRow(row))
            var reader = RowReader(cells)
            return try BalanceRow(from: &reader) == row && cells.owner == row.customer
        }
        checkProperty("keys are in order") { random in
            [text(&random), text(&random)]
        } holds: { names in
            let keys = names.map { RowQuestion(BalanceRow.byName, "anna", $0).key }
            return (keys[0] < keys[1]) == Array(names[0].utf8).lexicographicallyPrecedes(Array(names[1].utf8))
        }
        checkProperty("places are in order") { random in
            [Int64.random(in: .min ... .max, using: &random), .random(in: -3...3, using: &random)]
        } holds: { places in
            (PackedRow(FeedPlace(places[0])) < PackedRow(FeedPlace(places[1]))) == (places[0] < places[1])
        }
    }

    @Test("Tables are numbered by their positions, and no table is wider than a buffer")
    func numbers() {
        #expect(allTables.map(\.number) == Array(allTables.indices))
        for table in allTables { #expect(table.columns.count <= RowBuffer.width, "\(table.name)") }
    }
}
