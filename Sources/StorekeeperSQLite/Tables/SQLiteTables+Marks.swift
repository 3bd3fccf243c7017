package import Storekeeper
import StorekeeperDurable

extension SQLiteTables {
    private static let anyMark = Statement("SELECT 1 FROM erased_mark LIMIT 1")
    private static let allKeys = Statement("SELECT id, secret FROM mark_key ORDER BY id")
    private static let addKey = Statement("INSERT INTO mark_key(secret) VALUES(?)")
    private static let oneMark = Statement("SELECT 1 FROM erased_mark WHERE digest = ?")
    private static let addMark = Statement("INSERT INTO erased_mark(digest, key, seal) VALUES(?, ?, ?)")
    private static let allMarks = Statement("SELECT key, digest FROM erased_mark ORDER BY key, digest")

    /// Stores marks of erased customers, and adds one link to the hash chain for all new marks that were hashed with
    /// the same secret.
    package mutating func insertMarks(_ marks: ErasedMarks) throws(VaultError) {
        if !marks.plain.isEmpty {
            guard let own = try markKeys().first else {
                throw connection.file.corrupt("no secret for hashes of erased transactions")
            }
            try insertMarks(marks.plain.map { own.key.digest(of: $0) }, own.key, number: own.number)
        }
        for group in marks.hashed {
            let key = MarkKey(secret: group.secret)
            var number = try markKeys().first { $0.key == key }?.number
            if number == nil {
                try connection.run(Self.addKey) { $0.bytes(group.secret) }
                number = connection.lastInsertedRow
            }
            if let number { try insertMarks(group.digests, key, number: number) }
        }
    }

    private func insertMarks(_ digests: [[UInt8]], _ key: MarkKey, number: Int64) throws(VaultError) {
        var new: Set<[UInt8]> = []
        for digest in digests where try !exists(digest) { new.insert(digest) }
        guard !new.isEmpty else { return }
        let seal = try connection.seal(.marks, number, Int64(new.count), key.seal(of: Array(new)))
        for digest in new {
            try connection.run(Self.addMark) {
                $0.bytes(digest)
                $0.int(number)
                $0.int(seal)
            }
        }
        connection.hasMarks = true
    }

    private func exists(_ digest: [UInt8]) throws(VaultError) -> Bool {
        try connection.first(Self.oneMark, { $0.bytes(digest) }, { _ in true }) ?? false
    }

    /// Returns whether a mark of an erased customer is stored.
    package func isMarked(_ mark: ErasedMark) throws(VaultError) -> Bool {
        let hasMarks =
            if let known = connection.hasMarks { known } else {
                try connection.first(Self.anyMark) { _ in true } ?? false
            }
        connection.hasMarks = hasMarks
        guard hasMarks else { return false }
        for (_, key) in try markKeys() where try exists(key.digest(of: mark)) { return true }
        return false
    }

    /// Returns the secrets with which marks are hashed, beginning with the vault's own secret.
    private func markKeys() throws(VaultError) -> [(number: Int64, key: MarkKey)] {
        try connection.all(Self.allKeys, { _ in }) { ($0.int(), MarkKey(secret: $0.bytes())) }
    }

    /// Returns all marks.
    func allMarks() throws(VaultError) -> ErasedMarks {
        var digests: [Int64: [[UInt8]]] = [:]
        try connection.forEach(Self.allMarks) { row throws(VaultError) in
            digests[row.int(), default: []].append(row.bytes())
        }
        return ErasedMarks(
            hashed: try markKeys().compactMap { number, key in
                digests[number].map { ErasedMarks.Hashed(secret: key.secret, digests: $0) }
            })
    }
}
