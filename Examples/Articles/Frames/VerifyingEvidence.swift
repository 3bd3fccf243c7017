import Storekeeper
import StorekeeperJWS

private func verify(rootFile: [UInt8], jws: String, lines: [String]) async throws {
    var history = PurchaseHistory()
    var parts: [CheckedEvidence] = []
    // block 1

    // block 2

    // block 3

    // block 4
    print(parts.count, transaction.id, results.count)
}

private func sign(payload: [UInt8]) throws {
    // block 5
    print(ownVerifier.verify(signed).error as Any)
}
