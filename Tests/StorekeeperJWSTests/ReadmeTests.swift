import FoundationEssentials
import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

/// The code of the README, so that it cannot rot.
@Suite("The README") struct ReadmeTests {
    func mayPlay(_ evidence: [String], root: [UInt8], storeKitFile: [UInt8], at instant: Instant) throws -> Bool {
        let verifier = JWSVerifier(.init(roots: [try TrustedRoot(derOrPEM: root)], bundleID: "com.example.lanternvale"))
        var history = PurchaseHistory()
        for jws in evidence { history.merge(verifier.verify(jws)) }

        let catalog = try Catalog(reading: [CatalogFile(name: "Store.storekit", bytes: storeKitFile)])
        let resolution = EntitlementResolver(catalog: catalog).resolve(history)
        return resolution.product("gold.monthly")?.timeline.value(at: instant).isEntitled ?? false
    }

    @Test("has an example in Swift that works")
    func example() throws {
        let authority = try LocalAuthority()
        var draft = TransactionDraft.purchase(
            of: "gold.monthly", type: .autoRenewable, at: .day(0), expires: .day(31), group: "21400001")
        draft.bundleID = "com.example.lanternvale"
        let jws = try authority.makeSigner().sign(payload: draft.payload)
        let root = Array(authority.rootPEM.utf8)
        let storeKitFile = Array(
            #"{"subscriptionGroups":[{"id":"21400001","subscriptions":[{"productID":"gold.monthly","groupNumber":1}]}]}"#
                .utf8)
        #expect(try mayPlay([jws], root: root, storeKitFile: storeKitFile, at: .day(30)))
        #expect(try !mayPlay([jws], root: root, storeKitFile: storeKitFile, at: .day(31)))
        let foreign = Array(try LocalAuthority().rootPEM.utf8)
        #expect(try !mayPlay([jws], root: foreign, storeKitFile: storeKitFile, at: .day(30)))
    }

    @Test("prints that code")
    func quoted() throws {
        let story = try #require(try ExampleStory.all().first)
        let readme = String(decoding: try story.bytes(of: "README.md"), as: UTF8.self)
        let source = String(decoding: try Data(contentsOf: URL(filePath: #filePath)), as: UTF8.self)
        let lines = source.split(separator: "\n").drop { !$0.contains("func mayPlay") }.prefix(8)
        #expect(lines.count == 8)
        for line in lines { #expect(readme.contains(line.drop { $0 == " " })) }
    }
}
