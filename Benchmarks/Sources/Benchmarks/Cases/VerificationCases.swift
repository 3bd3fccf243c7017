import Storekeeper
import StorekeeperJWS
import StorekeeperTesting

/// Verification of signed transactions on one core, compared with the cryptographic library alone.
func verificationCases() throws -> BenchmarkGroup {
    let signed = try SignedItems(count: 256)
    let raw = try RawChecks(signed.texts)
    let verifier = JWSVerifier(signed.configuration)
    let items = signed.items
    let leaves = try signed.underOtherLeaves(count: 80)
    let rawOfLeaves = try RawLeafChecks(count: raw.count)
    let rawName = "raw P-256, hashing included"
    let leafRawName = "raw P-384 of a leaf, and raw P-256"
    let verifyName = "verify, warm chain"
    return BenchmarkGroup(
        title: "Verification of a transaction (one core)",
        cases: [
            .serial(rawName, operations: raw.count) { try raw.run() },
            .serial(verifyName, operations: items.count, targets: [.speed(of: rawName, atLeast: 0.75)]) {
                for text in signed.texts {
                    guard case .verified(let transaction) = try verifier.transaction(text) else {
                        throw BenchmarkError("a good transaction was refused")
                    }
                    blackHole(transaction)
                }
            },
            .serial(leafRawName, operations: raw.count, targets: [.comparedTime(of: rawName)]) {
                try raw.run()
                try rawOfLeaves.run()
            },
            .serial(
                "verify, new leaf", operations: leaves.count,
                targets: [.time(of: leafRawName, atMost: 1.15), .comparedTime(of: rawName)]
            ) {
                // In rotation, so that each certificate was evicted before it is used again.
                for text in leaves {
                    guard case .verified(let transaction) = try verifier.transaction(text) else {
                        throw BenchmarkError("a good transaction was refused")
                    }
                    blackHole(transaction)
                }
            },
            .serial("verify, nothing known", operations: 8, targets: [.comparedTime(of: rawName)]) {
                for text in signed.texts.prefix(8) {
                    let verifier = JWSVerifier(signed.configuration)
                    guard case .verified(let transaction) = try verifier.transaction(text) else {
                        throw BenchmarkError("a good transaction was refused")
                    }
                    blackHole(transaction)
                }
            },
            .serial(
                "decode a payload", operations: items.count, targets: [.time(of: verifyName, atMost: 0.10)]
            ) {
                for item in items { blackHole(try UnverifiedEvidence.transaction(in: item)) }
            },
        ])
}

/// Verification of a batch on all cores, compared with the same batch on one.
///
/// On a shared machine, wall-clock time is unreliable: then the raw library is not faster on two cores either, and
/// processor time shows the overhead of the batch.
func batchCases() throws -> BenchmarkGroup {
    let signed = try SignedItems(count: 2_000)
    let raw = try RawChecks(signed.texts)
    let verifier = JWSVerifier(signed.configuration)
    let items = signed.items
    let rawName = "raw P-256, one core"
    let serialName = "verify one by one, one core"
    let serialTimeName = "verify one by one, processor time"
    func one() {
        for item in items { blackHole(verifier.verify(item)) }
    }
    func batch() async throws {
        let results = await verifier.verifyBatch(items)
        guard results.count == items.count, results.allSatisfy({ $0.error == nil }) else {
            throw BenchmarkError("a good transaction was refused")
        }
        blackHole(results)
    }
    return BenchmarkGroup(
        title: "Verification of a batch of 2,000 (time on the wall)",
        cases: [
            .serial(rawName, operations: raw.count, clock: .wallTime) { try raw.run() },
            .parallel("raw P-256, two tasks", operations: raw.count, targets: [.comparedSpeed(of: rawName)]) {
                let middle = raw.count / 2
                async let first: Void = Task.detached { try raw.run(0..<middle) }.value
                async let second: Void = Task.detached { try raw.run(middle..<raw.count) }.value
                _ = try await (first, second)
            },
            .serial(serialName, operations: items.count, clock: .wallTime, one),
            .parallel(
                "verify as a batch, all cores", operations: items.count,
                targets: [.speed(of: serialName, atLeast: 1.8)], batch),
            .serial(serialTimeName, operations: items.count, clock: .processTime, one),
            .parallel(
                "verify as a batch, processor time", operations: items.count,
                targets: [.time(of: serialTimeName, atMost: 1.1)], clock: .processTime, batch),
        ], rounds: 11)
}
