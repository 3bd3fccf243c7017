import Storekeeper
import StorekeeperDurable

extension IntegrityCheck {
    private static let sealedMarks = Query(
        """
        SELECT secret, digest FROM erased_mark JOIN mark_key ON mark_key.id = erased_mark.key
        WHERE seal = ? AND key = ? ORDER BY digest
        """)
    private static let countMarks = Query("SELECT count(*) FROM erased_mark")

    /// Checks what seals say against the rows: marks of the erased, and which releases wrote the beginning of the chain.
    mutating func checkSeals(_ chain: ChainHead) throws(VaultError) {
        if course.origin != (chain.epoch, course.numbered) {
            addFault(
                .link, "meta",
                "says that older releases wrote up to \(chain.epoch) and \(course.numbered), and the chain says up to "
                    + "\(course.origin.epoch) and \(course.origin.numbered)")
        }
        var count: Int64 = 0
        for seal in course.markSeals {
            var (secret, digests) = ([UInt8](), [[UInt8]]())
            try session.forEach(Self.sealedMarks) {
                $0.int(seal.sequence)
                $0.int(seal.first)
            } _: { row throws(VaultError) in
                secret = row.blob()
                digests.append(row.blob())
            }
            count += Int64(digests.count)
            if Int64(digests.count) != seal.second || MarkKey(secret: secret).seal(of: digests) != seal.digest {
                addFault(
                    .link, "seal \(seal.sequence)",
                    "the marks of the erased that it covers were changed: coins might be credited again")
            }
        }
        if try session.first(Self.countMarks, { _ in }, { $0.int() }) != count {
            addFault(.link, "erased_mark", "there are marks of the erased that no seal covers")
        }
    }
}
