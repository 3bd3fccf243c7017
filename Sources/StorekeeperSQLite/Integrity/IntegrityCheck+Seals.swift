import Storekeeper
import StorekeeperDurable

extension IntegrityCheck {
    private static let sealedMarks = Statement(
        """
        SELECT secret, digest FROM erased_mark JOIN mark_key ON mark_key.id = erased_mark.key
        WHERE seal = ? AND key = ? ORDER BY digest
        """)
    private static let countMarks = Statement("SELECT count(*) FROM erased_mark")

    /// Compares the seals with the data that they cover: the marks of erased customers, and the links of moved
    /// purchases.
    mutating func checkSeals() throws(VaultError) {
        var count: Int64 = 0
        for seal in walk.markSeals {
            var (secret, digests) = ([UInt8](), [[UInt8]]())
            try connection.forEach(Self.sealedMarks) {
                $0.int(seal.sequence)
                $0.int(seal.first)
            } _: { row throws(VaultError) in
                secret = row.bytes()
                digests.append(row.bytes())
            }
            count += Int64(digests.count)
            if Int64(digests.count) != seal.second || MarkKey(secret: secret).seal(of: digests) != seal.digest {
                addFault(
                    .link, "seal \(seal.sequence)",
                    "the marks of erased customers that it covers were changed: coins might be credited again")
            }
        }
        for seal in walk.releaseSeals {
            let links = walk.released.removeValue(forKey: seal.sequence) ?? []
            if Int64(links.count) != seal.first || ErasedLink.proof(of: links) != seal.digest {
                addFault(
                    .link, "seal \(seal.sequence)", "the links of moved purchases that it covers were changed")
            }
        }
        for seal in walk.released.keys.sorted() {
            addFault(.link, "seal \(seal)", "does not exist, although links of moved purchases name it")
        }
        if try connection.first(Self.countMarks, { _ in }, { $0.int() }) != count {
            addFault(.link, "erased_mark", "there are marks of erased customers that no seal covers")
        }
    }
}
