import Storekeeper

/// The position of a repair, which the vault stores as text, so that the repair continues after a restart.
struct RepairPlace: Hashable, Sendable {
    /// The index of the query that is being read.
    var query = 0
    /// The token of the query's next page; `nil` for the first page.
    var token: String?
    /// The hash of the plan, so that the stored position of another plan is not used.
    let plan: String

    /// Creates the position at the beginning of a plan.
    init(beginningOf plan: RepairPlan) {
        self.plan = Self.name(of: plan)
    }

    /// Reads a stored position; `nil` if the position belongs to another plan or cannot be read.
    init?(_ cursor: UpdateCursor?, in plan: RepairPlan) {
        guard let text = cursor?.rawValue,
            let object = try? JSONReader().read(Array(text.utf8)).root.object,
            object["plan"]?.string == Self.name(of: plan),
            let query = object["query"]?.int64.flatMap(Int.init(exactly:)), query >= 0, query <= plan.queries.count
        else { return nil }
        self.plan = Self.name(of: plan)
        self.query = query
        token = object["token"]?.string
    }

    /// The position as text.
    var cursor: UpdateCursor {
        UpdateCursor(
            rawValue: JSONText.object([
                "plan": .string(plan), "query": .integer(Int64(query)), "token": .text(token),
            ]).text())
    }

    /// Returns a hash of the plan's queries, which is the same for two plans with equal queries.
    private static func name(of plan: RepairPlan) -> String {
        // FNV-1a is stable across processes. The hash need not resist attacks, because an attacker gains nothing from a
        // collision.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for query in plan.queries {
            let text =
                "\(query.from)|\(query.to)|\(query.transactionID?.rawValue ?? "")|\(query.onlyFailures);"
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        }
        return String(hash, radix: 16)
    }
}
