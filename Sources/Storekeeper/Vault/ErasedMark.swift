/// A record about an erased customer that prevents credits and requests from being repeated.
///
/// A durable vault stores only a hash of a mark, computed with a secret key. A person who has the hash and a
/// transaction id, but not the key, can therefore not find out whether the buyer was a customer.
package enum ErasedMark: Hashable, Sendable {
    /// A transaction that was credited.
    case transaction(TransactionKey)
    /// An idempotency key that the customer's requests have used.
    case request(CustomerID, key: LedgerRequest.Key)

    /// Creates the mark of an entry's cause; `nil` if the cause needs no mark.
    package init?(_ entry: LedgerEntry) { self.init(entry.cause, of: entry.customer) }

    /// Creates the mark of a cause in a customer's account; `nil` for a revocation or transfer, which has no key of its
    /// own.
    package init?(_ cause: LedgerEntry.Cause, of customer: CustomerID) {
        switch cause {
        case .transaction(let key, _, _): self = .transaction(key)
        case .request(let key, _), .access(_, _, let key, _): self = .request(customer, key: key)
        case .revocation, .transfer: return nil
        }
    }
}

/// The marks of a vault, or the marks that are copied to another vault.
package struct ErasedMarks: Hashable, Sendable {
    /// Hashes of marks, with the secret key with which they were computed.
    package struct Hashed: Hashable, Sendable {
        /// The secret with which the marks were hashed.
        package let secret: [UInt8]
        /// The hashes.
        package var digests: [[UInt8]]

        /// Creates hashes.
        package init(secret: [UInt8], digests: [[UInt8]]) {
            self.secret = secret
            self.digests = digests
        }
    }

    /// The marks that are not hashed; only a vault in memory stores such marks.
    package var plain: [ErasedMark]
    /// The hashed marks, grouped by secret.
    package var hashed: [Hashed]

    /// Creates marks.
    package init(plain: [ErasedMark] = [], hashed: [Hashed] = []) {
        self.plain = plain
        self.hashed = hashed
    }

    /// The number of marks.
    package var count: Int { plain.count + hashed.reduce(0) { $0 + $1.digests.count } }

    /// Returns whether these marks include all given marks.
    ///
    /// Hashed marks are compared one by one. Plain marks may have been hashed when they were copied. For plain marks,
    /// only the total number of marks is therefore compared.
    package func includesAll(_ others: ErasedMarks) -> Bool {
        let known = Dictionary(hashed.map { ($0.secret, Set($0.digests)) }) { $0.union($1) }
        let areThere = others.hashed.allSatisfy { known[$0.secret, default: []].isSuperset(of: $0.digests) }
        return areThere && count >= others.count
    }

    /// Returns the marks that are not among the given marks.
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

    /// Splits the marks into groups of at most `size` marks.
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
