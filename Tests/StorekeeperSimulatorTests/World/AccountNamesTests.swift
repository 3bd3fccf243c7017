import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

@Suite("The names of accounts") struct AccountNamesTests {
    @Test("A word finds the accounts whose name contains it, and compares few others")
    func words() throws {
        let store = try SampleStore.make()
        for number in 0..<3_000 { try store.createAccount(CustomerID(rawValue: "Customer-\(number)")) }
        for name in ["zoë", "Ab", "aaaa", "x"] { try store.createAccount(CustomerID(rawValue: name)) }
        store.read { world in
            func found(_ word: String) -> [String]? {
                world.accountNames.candidates(for: Array(word.utf8)).map { places in
                    #expect(Set(places).count == places.count)
                    return places.map { world.accounts[$0].name.rawValue }
                        .filter { $0.lowercased().contains(word) }
                }
            }
            #expect(found("customer-2999") == ["Customer-2999"])
            #expect(found("r-77")?.count == 11)
            #expect(found("zoë") == ["zoë"] && found("aaa") == ["aaaa"])
            #expect(found("nobody") == [] && found("customer-9999") == [])
            #expect(found("ab") == nil && found("") == nil)
            #expect(world.accountNames.candidates(for: Array("customer-2999".utf8))?.count ?? .max < 30)
        }
    }

    @Test("The accounts with a word are found by its parts or by comparing all names")
    func law() {
        checkProperty(
            "names are found", cases: 100,
            generate: { (random: inout SplitMix64) -> (names: [String], word: String) in
                func text(_ longest: Int) -> String {
                    String((0..<random.number(in: 0...longest)).map { _ in random.pick("a", "b", "A", "-", "é") })
                }
                return (names: (0..<20).map { _ in text(8) }, word: text(5).lowercased())
            }
        ) { names, word in
            var list = AccountNames()
            var accounts = Table<Account>()
            let storefront = Table([Storefront(country: "USA")]).startIndex
            for name in names {
                let account = Account(name: CustomerID(rawValue: name), storefront: storefront)
                list.add(name, of: accounts.append(account))
            }
            let bytes = Array(word.utf8)
            let expected = accounts.indices.filter { accounts[$0].name.rawValue.contains(bytes: bytes) }
            guard let candidates = list.candidates(for: bytes) else { return bytes.count < 3 }
            return candidates.filter { accounts[$0].name.rawValue.contains(bytes: bytes) } == expected
        }
    }
}
