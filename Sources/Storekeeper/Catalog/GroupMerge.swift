/// Joins what the files say about subscription groups.
///
/// Groups of one id, and groups that share a product, are one group. Lists say which service is higher by
/// their order; an explicit level of a product beats that, whichever file has it.
struct GroupMerge {
    /// The products that files put into groups.
    private(set) var explicitMembers: Set<Product.ID> = []
    private var drafts: [CatalogDraft.GroupDraft] = []
    /// For each draft one that it was joined with; itself where it is the first.
    private var parents: [Int] = []
    private var draftByWord: [String: Int] = [:]
    private var draftByProduct: [Product.ID: Int] = [:]

    /// The joined groups, and what they mean for products.
    struct Result {
        var groups: [SubscriptionGroup] = []
        var groupByProduct: [Product.ID: String] = [:]
        var levels: [Product.ID: Int] = [:]
        var diagnostics: [Diagnostic] = []
    }

    /// Adds what one place says.
    mutating func add(_ draft: CatalogDraft.GroupDraft, isInferred: Bool = false) {
        let index = drafts.count
        drafts.append(draft)
        parents.append(index)
        if !isInferred { explicitMembers.formUnion(draft.members) }
        if let other = draftByWord[draft.word] { join(other, index) } else { draftByWord[draft.word] = index }
        for id in draft.members {
            if let other = draftByProduct[id] { join(other, index) } else { draftByProduct[id] = index }
        }
    }

    /// The groups, in the order of the files.
    ///
    /// - Parameter explicitLevels: The levels that files give to products themselves.
    mutating func merged(explicitLevels: [Product.ID: Int]) -> Result {
        var partsByRoot: [Int: [CatalogDraft.GroupDraft]] = [:]
        var roots: [Int] = []
        for index in drafts.indices {
            let root = root(index)
            if partsByRoot[root] == nil { roots.append(root) }
            partsByRoot[root, default: []].append(drafts[index])
        }
        var result = Result()
        for root in roots { Self.add(partsByRoot[root] ?? [], explicitLevels, to: &result) }
        return result
    }

    private static func add(
        _ parts: [CatalogDraft.GroupDraft], _ explicitLevels: [Product.ID: Int], to result: inout Result
    ) {
        guard let first = parts.first else { return }
        let configured = parts.filter(\.isConfigured)
        let word = configured.last?.word ?? first.word
        for other in Set(configured.map(\.word)) where other != word {
            result.diagnostics.append(
                Diagnostic(
                    .warning, .duplicateGroup, subject: other,
                    message: "groups \(other) and \(word) share a product and are read as one group, \(word)"))
        }
        var group = SubscriptionGroup(id: word, productIDs: [])
        group.name =
            configured.last { $0.name != nil }?.name
            ?? (configured.isEmpty ? nil : parts.first { !$0.isConfigured && $0.word != word }?.word)
            ?? parts.last { $0.name != nil }?.name
        var order = ServiceOrder()
        for part in parts.reversed() where !part.tiers.isEmpty { order.add(earlier: part.tiers) }
        var seen: Set<Product.ID> = []
        var members: [(id: Product.ID, level: Int, place: Int)] = []
        for id in parts.flatMap(\.members) where seen.insert(id).inserted {
            let level = explicitLevels[id] ?? order.level(of: id)
            result.groupByProduct[id] = word
            result.levels[id] = level
            members.append((id, level ?? .max, members.count))
        }
        members.sort { ($0.level, $0.place) < ($1.level, $1.place) }
        group.productIDs = members.map(\.id)
        result.groups.append(group)
    }

    // MARK: Joining

    private mutating func root(_ index: Int) -> Int {
        var index = index
        while parents[index] != index {
            // Halving the path keeps later look-ups short.
            parents[index] = parents[parents[index]]
            index = parents[index]
        }
        return index
    }

    /// Joins two groups; the earlier stands for both.
    private mutating func join(_ left: Int, _ right: Int) {
        let (left, right) = (root(left), root(right))
        parents[max(left, right)] = min(left, right)
    }
}

/// The order of service in a group, from one list or several.
///
/// The last list counts; the products of earlier ones find their places between its own.
struct ServiceOrder: Sendable {
    private var tiers: [[Product.ID]] = []

    /// Adds a list that stands before all lists so far, the highest service first.
    mutating func add(earlier list: [[Product.ID]]) {
        var tierByProduct: [Product.ID: Int] = [:]
        for (index, tier) in tiers.enumerated() {
            for id in tier { tierByProduct[id] = index }
        }
        // What stands before each tier, in it beside its own products, and after all.
        var before: [[[Product.ID]]] = Array(repeating: [], count: tiers.count + 1)
        var beside: [[Product.ID]] = Array(repeating: [], count: tiers.count)
        var pending: [[Product.ID]] = []
        var slot: Int?
        for tier in list {
            let new = tier.filter { tierByProduct[$0] == nil }
            if let known = tier.lazy.compactMap({ tierByProduct[$0] }).first {
                if slot == nil {
                    before[known] += pending
                    pending = []
                }
                beside[known] += new
                slot = known + 1
            } else if let slot {
                before[slot].append(new)
            } else {
                pending.append(new)
            }
        }
        // A list without a product in common comes first, as its file does.
        var merged = pending
        for (index, tier) in tiers.enumerated() {
            merged += before[index]
            merged.append(tier + beside[index])
        }
        merged += before[tiers.count]
        tiers = merged.filter { !$0.isEmpty }
        levels = [:]
        for (index, tier) in tiers.enumerated() {
            for id in tier where levels[id] == nil { levels[id] = index + 1 }
        }
    }

    private var levels: [Product.ID: Int] = [:]

    /// The level of a product; `nil` where no list has it.
    func level(of id: Product.ID) -> Int? { levels[id] }
}
