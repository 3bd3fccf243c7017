import StorekeeperEngine
import StorekeeperJWS

func mayPlay(_ evidence: [UInt8], root: [UInt8], storeKitFile: [UInt8], at instant: Instant) throws -> Bool {
    let verifier = JWSVerifier(.init(roots: [try TrustedRoot(derOrPEM: root)], bundleID: "com.example.lanternvale"))
    var history = PurchaseHistory()
    for jws in EvidenceFile(evidence).signed { history.merge(verifier.verify(jws)) }

    let catalog = try Catalog(reading: [CatalogFile(name: "Store.storekit", bytes: storeKitFile)])
    let resolution = EntitlementResolver(catalog: catalog).resolve(history)
    return resolution.product("gold.monthly")?.timeline.value(at: instant).isEntitled ?? false
}
