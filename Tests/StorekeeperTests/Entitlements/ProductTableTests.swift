import Testing

@testable import StorekeeperEngine

/// Tests of the table of a resolution's products, and of the changes between two tables.
struct ProductTableTests {
    private func timeline(_ id: Product.ID, isPending: Bool = false) -> ProductTimeline {
        ProductTimeline(id: id, type: nil, timeline: Timeline(isPending ? .pending(.askToBuy) : .never))
    }

    private func table(_ count: Int) -> ProductTable {
        var table = ProductTable()
        for number in 0..<count { table.set(timeline("product-\(number)")) }
        return table
    }

    @Test("An unmodified copy has no changes", arguments: [0, 1, 16, 17, 40])
    func copy(count: Int) {
        let table = table(count)
        #expect(table.ids(changedSince: table).isEmpty)
    }

    @Test(
        "Only products that were set since are changes, in any part of the table", arguments: [0, 15, 16, 39])
    func change(number: Int) {
        let old = table(40)
        var new = old
        new.set(timeline("product-\(number)", isPending: true))
        #expect(new.ids(changedSince: old) == ["product-\(number)"])
    }

    @Test("An added product and a removed one are changes")
    func comingAndGoing() {
        let old = table(40)
        var new = old
        new.remove("product-7")
        new.set(timeline("another"))
        #expect(new.ids(changedSince: old).sorted() == ["another", "product-7"])
    }

    @Test("Tables that were built separately share nothing, so all products may differ")
    func strangers() { #expect(table(20).ids(changedSince: table(20)).count == 20) }
}
