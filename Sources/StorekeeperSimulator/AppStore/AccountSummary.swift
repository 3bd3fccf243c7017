package import Storekeeper

/// An Apple Account as a manager of transactions lists it.
package struct AccountSummary: Hashable, Sendable, Identifiable {
    /// A family as one of its members sees it.
    package struct Family: Hashable, Sendable {
        /// Who organises it.
        package let organizer: CustomerID
        /// All of it, in the order in which they joined.
        package let members: [CustomerID]
        /// Whether purchases are shared in it.
        package let sharesPurchases: Bool
    }

    /// What it is called.
    package let name: CustomerID
    /// The country of its storefront, three letters.
    package let storefront: String
    /// Whether its payments fail.
    package let paymentsFail: Bool
    /// The family that it is in; `nil`: none.
    package let family: Family?
    /// What it is called.
    package var id: CustomerID { name }
}

extension SimulatedAppStore {
    /// The accounts, in the order in which they were made.
    package var accountSummaries: [AccountSummary] {
        read { world in world.accounts.map { world.summary(of: $0) } }
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
