/// The order of service in a group, from one list or several.
///
/// The last list counts; the products of earlier ones find their places between its own.
struct ServiceOrder: Sendable {
    private var tiers: [[Product.ID]] = []
    private var levels: [Product.ID: Int] = [:]

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

    /// The level of a product; `nil` where no list has it.
    func level(of id: Product.ID) -> Int? { levels[id] }
}
