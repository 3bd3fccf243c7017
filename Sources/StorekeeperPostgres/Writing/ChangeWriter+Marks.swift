import Storekeeper
import StorekeeperDurable

// Writes the marks of erased customers, which are hashes. For each secret, the hash of all marks that a step writes
// with this secret is called a seal. A checkpoint records the seal.
extension ChangeWriter {
    mutating func addMarks(_ run: [RowChange]) throws(VaultError) {
        var digests: [MarkKey: Set<[UInt8]>] = [:]
        for case .marks(let marks) in run {
            if !marks.plain.isEmpty {
                guard let markKey else {
                    throw VaultError(.corrupt, "the vault has no secret for hashes of erased transactions")
                }
                digests[markKey, default: []].formUnion(marks.plain.map { markKey.digest(of: $0) })
            }
            for group in marks.hashed { digests[MarkKey(secret: group.secret), default: []].formUnion(group.digests) }
        }
        for (key, digests) in digests where !digests.isEmpty {
            let digests = digests.sorted { $0.lexicographicallyPrecedes($1) }
            let seal = key.seal(of: digests)
            call(WriteStatements.markKey, [.bytes(RowID.of(key)), .bytes(key.secret)])
            call(
                WriteStatements.marks,
                [.bytes(digests), .bytes(RowID.of(key)), .bytes(Array(seal.prefix(RowID.length)))])
            addMarksSeal(seal)
        }
    }
}
