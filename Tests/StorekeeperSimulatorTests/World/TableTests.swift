import Storekeeper
import Testing

@testable import StorekeeperSimulator

@Suite("The tables of the simulated world") struct TableTests {
    @Test("A row is found at its place, and a change affects only that row")
    func places() {
        var table = Table<String>()
        let (first, second) = (table.append("a"), table.append("b"))
        table[first] += "!"
        #expect(table[first] == "a!" && table[second] == "b")
        #expect(table.indices.map(\.index) == [0, 1])
        #expect(table.firstIndex(of: "b") == second)
        #expect(first < second && first.distance(to: second) == 1)
    }

    @Test("A number from outside is a place only if there is a row", arguments: [-1, 0, 1, 2, Int.min, Int.max])
    func numbers(_ number: Int) {
        let table = Table(["a", "b"])
        #expect(table.place(at: number)?.index == (0..<2 ~= number ? number : nil))
    }

    @Test(
        "The rows after a number are the existing ones",
        arguments: [(-1, [0, 1]), (0, [0, 1]), (1, [1]), (2, []), (.max, [])] as [(Int, [Int])])
    func rest(_ count: Int, _ rest: [Int]) {
        #expect(Table(["a", "b"]).indices(after: count).map(\.index) == rest)
    }

    @Test("Changing rows in a loop over the places copies no rows")
    func loops() {
        var table = Table(0..<10_000)
        let before = table.addresses
        for place in table.indices { table[place] += 1 }
        #expect(table.addresses == before)
        #expect(Array(table) == Array(1...10_000))
    }

    @Test(
        "A table equals an array of its rows at the edges of chunks", arguments: [0, 1, 4095, 4096, 4097, 8192, 8193])
    func chunks(_ count: Int) {
        var table = Table(0..<count)
        let last = table.append(-1)
        #expect(table.count == count + 1 && last.index == count && table[last] == -1)
        #expect(Array(table) == Array(0..<count) + [-1] && table.last == -1)
        #expect(table.addresses.count == count / Table<Int>.chunkSize + 1)
        #expect(table.place(at: count) == last && table.place(at: count + 1) == nil)
        #expect(table.indices(after: count).map(\.index) == [count])
    }

    @Test("A copy shares every chunk except those in which either has changed a row")
    func sharing() throws {
        let table = Table(0..<20_000)
        var copy = table
        #expect(copy.addresses == table.addresses)
        let place = try #require(copy.place(at: 5_000))
        copy[place] = 1
        copy.append(2)
        let shared = zip(copy.addresses, table.addresses).map { $0 == $1 }
        #expect(shared == [true, false, true, true, false])
        #expect(table[place] == 5_000 && table.count == 20_000 && copy.count == 20_001)
    }
}
