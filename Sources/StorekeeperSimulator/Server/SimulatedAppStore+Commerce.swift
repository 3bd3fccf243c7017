package import FoundationEssentials
package import Storekeeper

extension SimulatedAppStore {
    /// The seats of a subscription.
    package struct Seats: Hashable, Sendable {
        /// The number of seats that were not refunded.
        package let quantity: Int
        /// The number of seats that members can still claim.
        package let available: Int
        /// The party that invites the members.
        package let invitations: SeatInvitations
        /// Whether the subscription is in service.
        package let isActive: Bool
        /// The app transaction id of the purchaser.
        package let purchaser: String
        /// The claims of seats, oldest first.
        package let claims: [Claim]

        /// A claim of a seat by the app's server.
        package struct Claim: Hashable, Sendable {
            /// The id of the claim.
            package let id: UUID
            /// The id of the request.
            package let request: UUID
            /// The app transaction id of the member; `nil` if the app's server has not named a member.
            package let appTransactionID: String?
        }
    }

    /// Returns the Advanced Commerce state of a purchase; `nil` if the purchase has none.
    package func advancedCommerce(of id: Transaction.ID) -> AdvancedCommerceState? {
        read { world in world.existingTransaction(id).flatMap { world.commerce[$0] } }
    }

    /// Returns the newest transaction of a transaction's subscription, or the given id if the transaction is not about
    /// a subscription.
    package func currentTransaction(of id: Transaction.ID) -> Transaction.ID? {
        read { world in
            guard let place = world.existingTransaction(id), let latest = world.transactions[place].latest else {
                return nil
            }
            return world.records[latest].subscription.map { world.id(of: world.subscriptions[$0].current) } ?? id
        }
    }

    /// Returns whether a transaction's subscription has ended; `false` if the transaction is not about a subscription.
    package func hasEnded(subscriptionOf id: Transaction.ID) -> Bool {
        read { world in
            guard let place = world.existingTransaction(id), let latest = world.transactions[place].latest,
                let subscription = world.records[latest].subscription
            else { return false }
            return world.subscriptions[subscription].hasEnded
        }
    }

    /// Returns the seats of a transaction's subscription; `nil` if it is not a multi-seat subscription.
    package func seats(of id: Transaction.ID) -> Seats? {
        read { world in
            guard let place = world.existingTransaction(id), let latest = world.transactions[place].latest,
                let subscription = world.records[latest].subscription, let plan = world.seats[subscription]
            else { return nil }
            return Seats(
                quantity: Int(world.seatCount(of: subscription) ?? plan.quantity),
                available: max(0, world.claimableSeats(of: subscription) - plan.claims.count),
                invitations: plan.invitations,
                isActive: world.subscriptions[subscription].isInService,
                purchaser: world.appTransactionID(of: world.subscriptions[subscription].download),
                claims: plan.claims.map { claim in
                    Seats.Claim(
                        id: claim.id, request: claim.request,
                        appTransactionID: claim.member.map { world.appTransactionID(of: $0) })
                })
        }
    }

    /// Returns the first transactions of all multi-seat subscriptions of an app.
    package func subscriptionsWithSeats(app: String) -> [Transaction.ID] {
        read { world in
            world.seats.keys.filter { world.apps[world.subscriptions[$0].app].bundleID == app }
                .map { world.id(of: world.subscriptions[$0].original) }.sorted { $0.rawValue < $1.rawValue }
        }
    }
}
