package import Storekeeper

/// An Apple Account in the list of a transaction manager.
package struct AccountSummary: Hashable, Sendable, Identifiable {
    /// The family of an account.
    package struct Family: Hashable, Sendable {
        /// The organizer of the family.
        package let organizer: CustomerID
        /// All members, in the order in which they joined.
        package let members: [CustomerID]
        /// Whether the family shares purchases.
        package let sharesPurchases: Bool
    }

    /// The account's name.
    package let name: CustomerID
    /// The country of the account's storefront, as three letters.
    package let storefront: String
    /// Whether the account's payments fail.
    package let paymentsFail: Bool
    /// The account's family; `nil` if the account has no family.
    package let family: Family?
    /// The account's name.
    package var id: CustomerID { name }
}

extension SimulatedAppStore {
    /// The accounts, in order of creation.
    package var accountSummaries: [AccountSummary] {
        read { world in world.accounts.map { world.summary(of: $0) } }
    }

    /// Returns the first accounts, in order of creation.
    package func accountSummaries(first limit: Int) -> [AccountSummary] {
        read { world in world.accounts.prefix(max(0, limit)).map { world.summary(of: $0) } }
    }

    /// The number of accounts.
    package var accountCount: Int { read { $0.accounts.count } }

    /// Returns the account with exactly this name; `nil` if no such account exists.
    package func accountSummary(named name: CustomerID) -> AccountSummary? {
        read { world in
            guard let place = world.accountPlaces[name],
                world.accounts[place].name.rawValue.utf8.elementsEqual(name.rawValue.utf8)
            else { return nil }
            return world.summary(of: world.accounts[place])
        }
    }
}

extension World {
    fileprivate func summary(of account: Account) -> AccountSummary {
        let family = account.family.map { families[$0] }
        return AccountSummary(
            name: account.name, storefront: storefronts[account.storefront].country,
            paymentsFail: account.paymentsFail,
            family: family.map { family in
                AccountSummary.Family(
                    organizer: accounts[family.organizer].name, members: family.members.map { accounts[$0].name },
                    sharesPurchases: family.sharesPurchases)
            })
    }
}
