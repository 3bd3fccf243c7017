/// The order of service levels in a group, merged from one or more lists.
///
/// The order of the last list takes precedence. Products that only earlier lists contain are placed between the
/// products of the last list. A file may describe one group in a hundred thousand lists. Therefore the time to add a
/// list depends only on the length of this list.
struct ServiceOrder: Sendable {
    /// The products of one service level, linked to the next higher and the next lower level.
    private struct Tier: Sendable {
        var products: [Product.ID]
        var previous: Int
        var next: Int
        /// The number of the list that has added the level.
        var list: Int
    }

    /// The levels in any order; the first element is a sentinel, which links to the highest level and to the lowest
    /// level.
    private var tiers = [Tier(products: [], previous: 0, next: 0, list: 0)]
    private var tierByProduct: [Product.ID: Int] = [:]
    private var lists = 0

    /// Adds a list that precedes all lists that were already added; the list begins with the highest level of service.
    mutating func add(earlier list: [[Product.ID]]) {
        lists += 1
        // New products are recorded after the loop, so that the list is compared only with the lists that were already
        // added.
        var placed: [(id: Product.ID, tier: Int)] = []
        var pending: [[Product.ID]] = []
        // The index of the level before which the next new level is inserted; `nil` until the loop reaches a known
        // product.
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
        // If the list contains no known product, its levels become the highest levels, because the list precedes the
        // other lists.
        let first = tiers[0].next
        for tier in pending { insert(tier, before: first, &placed) }
        for (id, tier) in placed { tierByProduct[id] = tier }
    }

    /// The levels of all listed products; 1 is the highest level.
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

    /// Returns the next lower level that was not added by the current list.
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
