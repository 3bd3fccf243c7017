/// The timelines of products, stored so that copying and changing one are cheap whatever their number.
///
/// With a dictionary instead a renewal of a customer with 1,000 facts, in a catalog of 48 products, takes 1.1 × as
/// long.
struct ProductTable: Sendable {
    private var indexByID: [Product.ID: Int] = [:]
    /// The timelines in chunks of a fixed size, which copies share.
    private var chunks: [[ProductTimeline]] = []

    private static let chunkSize = 16

    /// The timelines, in no particular order.
    var all: some Sequence<ProductTimeline> { chunks.lazy.joined() }

    /// Returns the first instant after another at which any of the timelines changes.
    func nextChange(after instant: Instant) -> Instant? {
        var next: Instant?
        for chunk in chunks {
            for product in chunk {
                if let change = product.timeline.nextChange(after: instant), next.map({ change < $0 }) ?? true {
                    next = change
                }
            }
        }
        return next
    }

    /// Returns the products whose timelines may differ between this table and an older one, in no particular order.
    ///
    /// Shared chunks are skipped without being read.
    func ids(changedSince old: ProductTable) -> [Product.ID] {
        var ids: [Product.ID] = []
        var known = 0
        for (number, chunk) in chunks.enumerated() {
            if number < old.chunks.count, chunk.isShared(with: old.chunks[number]) {
                known += chunk.count
                continue
            }
            for product in chunk {
                let before = old[product.id]
                if before != nil { known += 1 }
                if before?.timeline.isShared(with: product.timeline) != true { ids.append(product.id) }
            }
        }
        if known < old.indexByID.count { ids += old.indexByID.keys.filter { indexByID[$0] == nil } }
        return ids
    }

    mutating func reserveCapacity(_ capacity: Int) { indexByID.reserveCapacity(capacity) }

    /// Returns the timeline of a product.
    subscript(id: Product.ID) -> ProductTimeline? {
        guard let index = indexByID[id] else { return nil }
        return chunks[index / Self.chunkSize][index % Self.chunkSize]
    }

    /// Sets the timeline of its product.
    mutating func set(_ timeline: ProductTimeline) {
        if let index = indexByID[timeline.id] {
            chunks[index / Self.chunkSize][index % Self.chunkSize] = timeline
            return
        }
        indexByID[timeline.id] = indexByID.count
        if let last = chunks.last, last.count < Self.chunkSize {
            chunks[chunks.count - 1].append(timeline)
        } else {
            chunks.append([timeline])
        }
    }

    /// Removes a product, which rarely happens.
    mutating func remove(_ id: Product.ID) {
        guard indexByID[id] != nil else { return }
        var rest = ProductTable()
        for timeline in all where timeline.id != id { rest.set(timeline) }
        self = rest
    }
}

extension ProductTable: Equatable {
    /// Returns whether both have equal timelines of the same products.
    static func == (left: ProductTable, right: ProductTable) -> Bool {
        left.indexByID.count == right.indexByID.count && left.all.allSatisfy { right[$0.id] == $0 }
    }
}
