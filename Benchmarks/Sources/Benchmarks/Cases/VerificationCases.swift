import Storekeeper
import StorekeeperJWS

/// Verification of signed transactions, compared with the cryptographic library alone, than which nothing can be
/// faster, and with the verifier that a server would write.
func verificationCases() throws -> BenchmarkGroup {
    let signed = try SignedItems(count: 1_000)
    let raw = try RawChecks(signed.texts)
    let plain = PlainVerifier(key: raw.key)
    let verifier = JWSVerifier(signed.configuration)
    let items = signed.items
    let leaves = try signed.underOtherLeaves(count: 80)
    let rawOfLeaves = try RawLeafChecks(count: leaves.count)
    func verify(_ texts: [String]) throws {
        for text in texts {
            guard case .verified(let transaction) = try verifier.transaction(text) else {
                throw BenchmarkError("a good transaction was refused")
            }
            blackHole(transaction)
        }
    }
    let rawName = "raw P-256, hashing included"
    let leafName = "raw P-384 of a leaf, and raw P-256"
    let coresName = "raw P-256, all cores (wall)"
    return BenchmarkGroup(
        title: "Verification of a transaction",
        cases: [
            BenchmarkCase(rawName, operations: raw.count) { try raw.run() },
            BenchmarkCase("a verifier as one would write it", operations: raw.count, .speed(of: rawName)) {
                for text in raw.texts { blackHole(try plain.verify(text)) }
            },
            BenchmarkCase("verify, warm chain", operations: signed.texts.count, .speed(of: rawName, atLeast: 0.75)) {
                try verify(signed.texts)
            },
            BenchmarkCase(leafName, operations: leaves.count) {
                try raw.run(0..<leaves.count)
                try rawOfLeaves.run()
            },
            // In rotation, so that each certificate was evicted before it is used again.
            BenchmarkCase("verify, new leaf", operations: leaves.count, .time(of: leafName, atMost: 1.15)) {
                try verify(leaves)
            },
            BenchmarkCase(coresName, operations: raw.count, clock: .wallTime) { try await raw.runOnAllCores() },
            BenchmarkCase(
                "verify as a batch, all cores (wall)", operations: items.count, .speed(of: coresName, atLeast: 0.75),
                clock: .wallTime
            ) {
                let results = await verifier.verifyBatch(items)
                guard results.count == items.count, results.allSatisfy({ $0.error == nil }) else {
                    throw BenchmarkError("a good transaction was refused")
                }
                blackHole(results)
            },
        ])
}
