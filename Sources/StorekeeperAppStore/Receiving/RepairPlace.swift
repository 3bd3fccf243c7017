import Storekeeper

/// How far a repair has come; a text in the vault, so that it goes on after the process has ended.
struct RepairPlace: Hashable, Sendable {
    /// Which of the plan's queries is being read.
    var query = 0
    /// With what to ask for its next page; `nil`: its first.
    var token: String?
    /// Names the plan, so that the place of another is not taken for its own.
    let plan: String

    /// The beginning of a plan.
    init(beginningOf plan: RepairPlan) {
        self.plan = Self.name(of: plan)
    }

    /// Reads a place; `nil` where it is none of this plan's.
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

    /// The place as text.
    var cursor: UpdateCursor {
        UpdateCursor(
            rawValue: JSONText.object([
                "plan": .string(plan), "query": .integer(Int64(query)), "token": .text(token),
            ]).text())
    }

    /// A text that two plans share only where they ask the same.
    private static func name(of plan: RepairPlan) -> String {
        // FNV-1a, which stays the same from start to start; a plan is no secret and nobody gains by a collision.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for query in plan.queries {
            let text =
                "\(query.from)|\(query.to)|\(query.transactionID?.rawValue ?? "")|\(query.onlyFailures);"
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        }
        return String(hash, radix: 16)
    }
}
