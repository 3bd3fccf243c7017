package import Storekeeper

/// The calls about accounts that use what the connection has cached about the customer.
extension SQLiteTables {
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
