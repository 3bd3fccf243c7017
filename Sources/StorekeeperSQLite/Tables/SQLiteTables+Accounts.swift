package import Storekeeper

/// The calls about accounts that use what the connection has cached about the customer.
extension SQLiteTables {
    private static let lastOfCustomer = Statement(
        "SELECT number, sequence FROM ledger WHERE customer = ? ORDER BY sequence DESC LIMIT 1")

    /// Returns the number and the place in the feed of the last entry in a customer's account, without reading the
    /// other columns: every account that is not cached is asked for this before its next entry.
    package func lastEntry(of customer: CustomerID) throws(VaultError) -> AccountEnd {
        guard let number = try number(of: customer) else { return .none }
        return try connection.first(Self.lastOfCustomer) {
            $0.int(number)
        } _: {
            AccountEnd(number: $0.int(), place: FeedPlace($0.int()))
        } ?? .none
    }

    /// Appends an entry to a customer's account.
    package mutating func append(_ draft: LedgerDraft) throws(VaultError) -> LedgerEntry {
        let owner = try knownToWrite(draft.customer)
        let last = if let known = owner.lastEntry { known } else { try lastEntry(of: draft.customer) }
        let entry = try append(draft, after: last)
        owner.lastEntry = AccountEnd(entry)
        return entry
    }

    /// Returns a balance; `nil` if the account has no entry about this balance.
    package func balance(_ id: Balance.ID, of customer: CustomerID) throws(VaultError) -> Balance? {
        guard let known = try known(customer) else { return nil }
        if let balance = known.balances.first(where: { $0.id == id }) { return balance }
        let found = try storedBalance(id, of: customer)
        if let found { known.balances.append(found) }
        return found
    }

    /// Replaces the stored row of a balance.
    package mutating func setBalance(_ balance: Balance, of customer: CustomerID) throws(VaultError) {
        let known = try knownToWrite(customer)
        if let place = known.balances.firstIndex(where: { $0.id == balance.id }) {
            try updateBalance(balance, of: customer)
            known.balances[place] = balance
        } else {
            try storeBalance(balance, of: customer)
            known.balances.append(balance)
        }
    }
}
