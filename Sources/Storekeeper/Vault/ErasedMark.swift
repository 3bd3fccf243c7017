/// What a vault remembers of an erased customer, so that no coins are credited and no request is carried out twice.
///
/// A durable vault keeps no mark itself but a hash of it, keyed with a secret of its own: ids of transactions are known
/// outside, and must not be enough to find out who was a customer.
package enum ErasedMark: Hashable, Sendable {
    /// A transaction that was credited.
    case transaction(TransactionKey)
    /// A key that the customer's requests have used.
    case request(CustomerID, key: LedgerRequest.Key)

    /// Makes the mark of what has caused an entry.
    package init(_ entry: LedgerEntry) { self.init(entry.cause, of: entry.customer) }

    /// Makes the mark of a cause in a customer's account.
    package init(_ cause: LedgerEntry.Cause, of customer: CustomerID) {
        self =
            switch cause {
            case .transaction(let key, _, _): .transaction(key)
            case .request(let key, _): .request(customer, key: key)
            }
    }
}

/// The marks that a vault keeps, or that a copy brings into another.
package struct ErasedMarks: Hashable, Sendable {
    /// Hashes of marks, and the secret that they were made with.
    package struct Hashed: Hashable, Sendable {
        /// What the marks are hashed with.
        package let secret: [UInt8]
        /// The hashes.
        package var digests: [[UInt8]]

        /// Makes hashes.
        package init(secret: [UInt8], digests: [[UInt8]]) {
            self.secret = secret
            self.digests = digests
        }
    }

    /// Marks that nobody has hashed: those of a vault in memory.
    package var plain: [ErasedMark]
    /// Hashed marks, by their secret.
    package var hashed: [Hashed]

    /// Makes marks.
    package init(plain: [ErasedMark] = [], hashed: [Hashed] = []) {
        self.plain = plain
        self.hashed = hashed
    }

    /// How many there are.
    package var count: Int { plain.count + hashed.reduce(0) { $0 + $1.digests.count } }

    /// Whether all of others are there; of plain ones that were hashed meanwhile, as many.
    package func cover(_ others: ErasedMarks) -> Bool {
        let known = Dictionary(hashed.map { ($0.secret, Set($0.digests)) }) { $0.union($1) }
        let areThere = others.hashed.allSatisfy { known[$0.secret, default: []].isSuperset(of: $0.digests) }
        return areThere && count >= others.count
    }

    /// Those that are not among others.
    package func subtracting(_ others: ErasedMarks) -> ErasedMarks {
        let known = Dictionary(others.hashed.map { ($0.secret, Set($0.digests)) }) { $0.union($1) }
        let plain = Set(plain).subtracting(others.plain)
        return ErasedMarks(
            plain: Array(plain),
            hashed: hashed.map { group in
                Hashed(
                    secret: group.secret,
                    digests: Array(Set(group.digests).subtracting(known[group.secret, default: []])))
            })
    }

    /// The same in parts of at most so many.
    package func parts(ofAtMost size: Int) -> [ErasedMarks] {
        let size = max(1, size)
        var parts = stride(from: 0, to: plain.count, by: size).map {
            ErasedMarks(plain: Array(plain[$0..<min($0 + size, plain.count)]))
        }
        for group in hashed {
            parts += stride(from: 0, to: group.digests.count, by: size).map {
                let digests = Array(group.digests[$0..<min($0 + size, group.digests.count)])
                return ErasedMarks(hashed: [Hashed(secret: group.secret, digests: digests)])
            }
        }
        return parts
    }
}
