import FoundationEssentials
import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

/// Tests the code of the README and of the example that repeats it.
@Suite("The README") struct ReadmeTests {
    func mayPlay(_ evidence: [UInt8], root: [UInt8], storeKitFile: [UInt8], at instant: Instant) throws -> Bool {
        let verifier = JWSVerifier(.init(roots: [try TrustedRoot(derOrPEM: root)], bundleID: "com.example.lanternvale"))
        var history = PurchaseHistory()
        for jws in EvidenceFile(evidence).signed { history.merge(verifier.verify(jws)) }

        let catalog = try Catalog(reading: [CatalogFile(name: "Store.storekit", bytes: storeKitFile)])
        let resolution = EntitlementResolver(catalog: catalog).resolve(history)
        return resolution.product("gold.monthly")?.timeline.value(at: instant).isEntitled ?? false
    }

    @Test("The example in the README works")
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
        let evidence = Array(jws.utf8)
        #expect(try mayPlay(evidence, root: root, storeKitFile: storeKitFile, at: .day(30)))
        #expect(try !mayPlay(evidence, root: root, storeKitFile: storeKitFile, at: .day(31)))
        let foreign = Array(try LocalAuthority().rootPEM.utf8)
        #expect(try !mayPlay(evidence, root: foreign, storeKitFile: storeKitFile, at: .day(30)))
    }

    @Test(
        "The README and the example contain the tested code",
        arguments: [
            "README.md", "Examples/HeadlessCheck/Sources/HeadlessCheck/HeadlessCheck.swift",
        ])
    func quoted(in file: String) throws {
        let story = try #require(try ExampleStory.all().first)
        let text = String(decoding: try story.bytes(of: file), as: UTF8.self)
        let source = String(decoding: try Data(contentsOf: URL(filePath: #filePath)), as: UTF8.self)
        let lines = source.split(separator: "\n").drop { !$0.contains("func mayPlay") }.prefix(8)
        #expect(lines.count == 8)
        for line in lines { #expect(text.contains(line.drop { $0 == " " })) }
    }
}
