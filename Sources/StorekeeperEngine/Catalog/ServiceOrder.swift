/// The order of service in a group, from one list or several.
///
/// The last list counts; products that only earlier lists have are placed between its products. Adding a list takes
/// time in its own length only: a file may give one group in a hundred thousand parts.
struct ServiceOrder: Sendable {
    /// Products of one level, between the next higher and the next lower.
    private struct Tier: Sendable {
        var products: [Product.ID]
        var previous: Int
        var next: Int
        /// The number of the list that added it.
        var list: Int
    }

    /// All tiers; the first is the sentinel at both ends, before the highest and after the lowest.
    private var tiers = [Tier(products: [], previous: 0, next: 0, list: 0)]
    private var tierByProduct: [Product.ID: Int] = [:]
    private var lists = 0

    /// Adds a list that precedes all lists so far, the highest service first.
    mutating func add(earlier list: [[Product.ID]]) {
        lists += 1
        // New products are recorded after the loop: the list is compared with earlier lists only.
        var placed: [(id: Product.ID, tier: Int)] = []
        var pending: [[Product.ID]] = []
        // The tier before which the next new one is inserted, once the list has met a known one.
        var place: Int?
        var following: [Int: Int] = [:]
        for tier in list {
            let new = tier.filter { tierByProduct[$0] == nil }
            if let known = tier.first(where: { tierByProduct[$0] != nil }).flatMap({ tierByProduct[$0] }) {
                if place == nil {
                    for tier in pending { insert(tier, before: known, &placed) }
                    pending = []
                }
                tiers[known].products += new
                placed += new.map { ($0, known) }
                place = following[known] ?? tierOfOthers(after: known)
                following[known] = place
            } else if let place {
                insert(new, before: place, &placed)
            } else {
                pending.append(new)
            }
        }
        // A list without a common product comes first, as its file does.
        let first = tiers[0].next
        for tier in pending { insert(tier, before: first, &placed) }
        for (id, tier) in placed { tierByProduct[id] = tier }
    }

    /// The levels of all listed products, from 1.
    var levels: [Product.ID: Int] {
        var levels: [Product.ID: Int] = [:]
        var level = 0
        var tier = tiers[0].next
        while tier != 0 {
            level += 1
            for id in tiers[tier].products where levels[id] == nil { levels[id] = level }
            tier = tiers[tier].next
        }
        return levels
    }

    /// Returns the next tier that a list other than the present one added.
    private func tierOfOthers(after tier: Int) -> Int {
        var next = tiers[tier].next
        while next != 0, tiers[next].list == lists { next = tiers[next].next }
        return next
    }

    private mutating func insert(
        _ products: [Product.ID], before next: Int, _ placed: inout [(id: Product.ID, tier: Int)]
    ) {
        guard !products.isEmpty else { return }
        let tier = tiers.count
        let previous = tiers[next].previous
        tiers.append(Tier(products: products, previous: previous, next: next, list: lists))
        tiers[previous].next = tier
        tiers[next].previous = tier
        placed += products.map { ($0, tier) }
    }
}
