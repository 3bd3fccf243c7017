/// A customer's account in which each entry is dated by its cause, and not by the time at which the vault learned of
/// the cause.
///
/// A credit counts from the date of the purchase, a claw-back from the date of the refund, and a restore from the
/// newest signature of the transaction. Every other entry counts from the time at which it was written. If one of these
/// dates is later than the time at which its entry was written, the time of writing is used, so that units are always
/// credited before they are spent.
package struct DatedAccount: Sendable {
    private let entries: [(at: Instant, entry: LedgerEntry)]

    /// Dates the entries of an account.
    ///
    /// - Parameters:
    ///   - entries: The entries that move a balance, in order.
    ///   - facts: The facts about the customer.
    package init(_ entries: [LedgerEntry], facts: [StoredFact]) {
        var copies: [TransactionKey: [(learnedAt: Instant, transaction: Transaction)]] = [:]
        for stored in facts {
            guard let transaction = stored.fact.transaction, transaction.productType == .consumable else { continue }
            copies[TransactionKey(transaction), default: []].append((stored.learnedAt, transaction))
        }
        self.entries = entries.map { entry in
            guard case .transaction(let key, _, _) = entry.cause, let known = copies[key] else {
                return (entry.at, entry)
            }
            let transactions = known.filter { $0.learnedAt <= entry.at }.map(\.transaction)
            return (min(Self.instant(of: entry, copies: transactions) ?? entry.at, entry.at), entry)
        }
    }

    private static func instant(of entry: LedgerEntry, copies: [Transaction]) -> Instant? {
        switch entry.kind {
        case .credit: return copies.map(\.purchasedAt).min()
        case .clawBack:
            let refunds = copies.filter { $0.revokedAt != nil }
            guard let newest = refunds.max(by: { $0.signedAt < $1.signedAt }) else { return nil }
            return newest.revokedAt.map { max($0, newest.purchasedAt) }
        case .restore: return copies.map(\.signedAt).max()
        case .spend, .grant, .grantAccess, .revokeAccess, .transfer: return nil
        }
    }

    /// Returns the entries that count at an instant, in order.
    package func entries(through instant: Instant) -> [LedgerEntry] {
        entries.filter { $0.at <= instant }.map(\.entry)
    }

    /// Returns the balances at an instant, by name.
    ///
    /// - Throws: ``VaultError`` if a sum exceeds 64 bits.
    package func balances(at instant: Instant) throws(VaultError) -> [Balance.ID: Balance] {
        var balances: [Balance.ID: Balance] = [:]
        for (at, entry) in entries {
            let balance = balances[entry.balance] ?? Balance(id: entry.balance)
            balances[entry.balance] = at <= instant ? try balance.adding(entry.kind, entry.change) : balance
        }
        return balances
    }

    /// Returns the first instant after the given instant at which a balance changes; `nil` if no balance changes later.
    package func nextChange(after instant: Instant) -> Instant? { entries.lazy.map(\.at).filter { $0 > instant }.min() }
}
