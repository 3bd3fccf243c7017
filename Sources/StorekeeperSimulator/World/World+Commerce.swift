import FoundationEssentials
import Storekeeper

/// Advanced Commerce purchases, and the seats of multi-seat purchases.
extension World {
    /// Sets the Advanced Commerce state of a purchase, and logs the kind of change.
    mutating func setCommerce(
        _ text: String, of transaction: RowIndex<TransactionState>, change: AdvancedCommerceChange
    ) throws(SimulatorError) {
        var state = try AdvancedCommerceState(text)
        let record = try record(of: transaction)
        if change == .migration, let place = record.subscription, subscriptions[place].current == transaction {
            try migrate(place, to: &state)
        }
        // A transaction with an offer of the catalog, such as a free trial, keeps the price of the offer.
        let price =
            change == .description && record.offer == nil && state.price != commerce[transaction]?.price
            ? state.price : nil
        commerce[transaction] = state
        let latest = reissue(transaction) { $0.price = price ?? $0.price }
        let kind: HappeningKind =
            switch change {
            case .description: .itemsDescribed
            case .metadata: .metadataUpdated
            case .price: .itemPriceChanged
            case .migration: .migrated
            case .refund: .refunded
            }
        guard let place = record.subscription else { return log(kind, of: transaction) }
        if subscriptions[place].current == transaction {
            renewalCommerce[place] = state
            if let price, price > 0, subscriptions[place].isFree {
                subscriptions[place].isFree = false
                subscriptions[place].paidPeriods += 1
            }
        }
        log(kind, of: place, record: latest)
        if change == .migration { shareChange(of: place, kind: .autoRenewEnabled) }
    }

    /// Migrates a subscription to Advanced Commerce.
    ///
    /// The product of the subscription changes with the next renewal. The price of the subscription and the length of
    /// its periods stay the same.
    private mutating func migrate(
        _ place: RowIndex<Subscription>, to state: inout AdvancedCommerceState
    ) throws(SimulatorError) {
        let subscription = subscriptions[place]
        let app = apps[subscription.app]
        if let id = state.targetProductID {
            let target = try product(Product.ID(id), in: subscription.app)
            guard app.terms[target].kind == .autoRenewable, app.terms[target].group == subscription.group else {
                throw SimulatorError(
                    .invalidProductType, "'\(id)' is not a subscription of the group of the one that migrates")
            }
            subscriptions[place].service.nextProduct = target
        }
        if state.items.count == 1, state.items[0].price == nil { state.items[0].price = subscription.standardPrice }
        if state.period == nil,
            let period = app.product(subscription.service.product).subscription?.subscriptionPeriod
        {
            state.setPeriod(period)
        }
    }

    /// Returns the Advanced Commerce state of a subscription's next period; `nil` if no item is left, or if the
    /// subscription moves to another product.
    func nextCommerce(of subscription: Subscription) -> AdvancedCommerceState? {
        guard !renewalCommerce.isEmpty, let latest = transactions[subscription.current].latest,
            let place = records[latest].subscription, let state = renewalCommerce[place]
        else { return nil }
        let product = subscription.followingProduct
        guard
            product == subscription.service.product
                || state.targetProductID == apps[subscription.app].product(product).id.rawValue
        else { return nil }
        let next = state.renewed
        return next.items.isEmpty ? nil : next
    }

    /// Sets the number of seats of a subscription.
    ///
    /// The first call states for how many seats the subscription was bought. Seats that later calls add count at once
    /// and are a transaction of their own, to the end of the period; fewer seats count from the next renewal on.
    ///
    /// - SeeAlso: Apple, "App Store Server API: additionalTransactionReason".
    mutating func setSeats(
        _ number: Int, of place: RowIndex<Subscription>, invitations: SeatInvitations
    ) throws(SimulatorError) {
        guard let number = Int32(exactly: number), (1...100_000).contains(number) else {
            throw SimulatorError(.invalidValue, "a subscription has 1 to 100000 seats, not \(number)")
        }
        guard subscriptions[place].sharedFrom == nil, subscriptions[place].isInService else {
            throw SimulatorError(.noSubscriptionFound, "the subscription is not active, or a family's copy")
        }
        let before = seats[place]
        let added = number - (seatCount(of: place) ?? number)
        var plan = before ?? SeatPlan(quantity: number, renewalQuantity: number, invitations: invitations)
        plan.invitations = invitations
        plan.renewalQuantity = number
        seats[place] = plan
        let record = added > 0 ? addSeats(added, to: place) : reissue(subscriptions[place].current) { _ in }
        log(number >= before?.renewalQuantity ?? 1 ? .seatsAdded : .seatsReduced, of: place, record: record)
    }

    /// Adds seats to the current period by an additional transaction.
    ///
    /// Every transaction of a period that has several says so, therefore the first one is signed again.
    private mutating func addSeats(
        _ number: Int32, to place: RowIndex<Subscription>
    ) -> RowIndex<TransactionRecord>? {
        guard let latest = reissue(subscriptions[place].current, { $0.flags.insert(.isOfSeveral) }) else { return nil }
        let first = records[latest]
        let transaction = newTransaction(of: first.product, download: first.download)
        lastWebOrderLineItem += 1
        seats[place]?.additions.append(transaction)
        return issue(
            TransactionRecord(
                transaction: transaction, original: first.original, download: first.download, subscription: place,
                product: first.product, quantity: number, storefront: first.storefront, token: first.token,
                webOrderLineItem: lastWebOrderLineItem, flags: [.isMultiSeat, .isOfSeveral], plan: first.plan,
                purchasedAt: now, expiresAt: first.expiresAt, signedAt: now, price: first.price))
    }

    /// Returns the transactions of a subscription's current period: the first one and those that have added seats.
    func periodTransactions(of place: RowIndex<Subscription>) -> [RowIndex<TransactionState>] {
        [subscriptions[place].current] + (seats[place]?.additions ?? [])
    }

    /// Returns whether a transaction of a subscription's current period is not revoked, apart from a given transaction.
    func isPaid(
        _ place: RowIndex<Subscription>, besides transaction: RowIndex<TransactionState>
    ) -> Bool {
        periodTransactions(of: place).contains { other in
            other != transaction && (transactions[other].latest.map { records[$0].revocation == nil } ?? false)
        }
    }

    /// Returns the number of seats that are not revoked; `nil` if the subscription has no seats to assign.
    func seatCount(of place: RowIndex<Subscription>) -> Int32? {
        guard seats[place] != nil else { return nil }
        return periodTransactions(of: place).reduce(0) { count, transaction in
            guard let latest = transactions[transaction].latest, records[latest].revocation == nil else { return count }
            return count + records[latest].quantity - records[latest].revokedSeats
        }
    }

    /// Returns the number of seats that members can claim, including seats that are already claimed.
    ///
    /// The purchaser occupies one seat, which is not counted.
    func claimableSeats(of place: RowIndex<Subscription>) -> Int { max(0, Int(seatCount(of: place) ?? 0) - 1) }

    // MARK: Claims of the app's server

    /// Removes claims of seats.
    mutating func unclaimSeats(_ claims: [UUID], of place: RowIndex<Subscription>) throws(SimulatorError) {
        guard seats[place]?.invitations == .developer, !claims.isEmpty else {
            throw SimulatorError(.invalidAction, "the subscription has no seats that the app assigns")
        }
        seats[place]?.claims.removeAll { claims.contains($0.id) }
        log(.seatsUnclaimed, of: place, note: claims.map { $0.uuidString.lowercased() }.joined(separator: " "))
    }

    /// Removes the newest claims if there are more claims than claimable seats.
    mutating func unclaimSurplus(of place: RowIndex<Subscription>) throws(SimulatorError) {
        guard let plan = seats[place], plan.invitations == .developer else { return }
        let surplus = plan.claims.dropFirst(claimableSeats(of: place)).map(\.id)
        if !surplus.isEmpty { try unclaimSeats(surplus, of: place) }
    }

    mutating func claimSeat(_ claim: SeatClaim, of place: RowIndex<Subscription>) throws(SimulatorError) {
        let plan = try claimablePlan(of: place)
        guard !plan.claims.contains(where: { $0.request == claim.request }) else { return }
        guard !plan.claims.contains(where: { $0.id == claim.id }) else {
            throw SimulatorError(.invalidValue, "the claim \(claim.id) exists")
        }
        guard plan.claims.count < claimableSeats(of: place) else {
            throw SimulatorError(.invalidAction, "no seat is available")
        }
        var entry = SeatPlan.Claim(id: claim.id, request: claim.request)
        if let member = claim.member {
            entry.member = try self.member(try account(member), of: place, claim: claim.id)
        }
        seats[place]?.claims.append(entry)
    }

    mutating func releaseSeat(_ claim: UUID, of place: RowIndex<Subscription>) throws(SimulatorError) {
        let index = try self.place(ofClaim: claim, of: place)
        seats[place]?.claims.remove(at: index)
    }

    mutating func associateSeat(
        _ claim: UUID, with account: RowIndex<Account>, of place: RowIndex<Subscription>
    ) throws(SimulatorError) {
        let index = try self.place(ofClaim: claim, of: place)
        let member = try self.member(account, of: place, claim: claim)
        seats[place]?.claims[index].member = member
    }

    /// Returns the download of a member who is to occupy a claimed seat.
    ///
    /// - Throws: `SimulatorError` if the member already occupies the seat of another claim.
    private mutating func member(
        _ account: RowIndex<Account>, of place: RowIndex<Subscription>, claim: UUID
    ) throws(SimulatorError) -> RowIndex<Download> {
        let app = subscriptions[place].app
        if let known = existingDownload(of: account, app: app),
            let other = seats[place]?.claims.first(where: { $0.member == known && $0.id != claim })
        {
            throw SimulatorError(
                .invalidAction, "'\(accounts[account].name)' occupies a seat already, by claim \(other.id)")
        }
        return download(of: account, app: app)
    }

    private func claimablePlan(of place: RowIndex<Subscription>) throws(SimulatorError) -> SeatPlan {
        guard let plan = seats[place], plan.invitations == .developer, subscriptions[place].isInService else {
            throw SimulatorError(.invalidAction, "the subscription has no seats that the app assigns")
        }
        return plan
    }

    private func place(ofClaim claim: UUID, of place: RowIndex<Subscription>) throws(SimulatorError) -> Int {
        guard let index = try claimablePlan(of: place).claims.firstIndex(where: { $0.id == claim }) else {
            throw SimulatorError(.invalidValue, "there is no claim \(claim)")
        }
        return index
    }

    // MARK: Signed content

    /// Adds the seats of a subscription to a record that is signed now.
    mutating func addDetails(to record: inout TransactionRecord) {
        guard let place = record.subscription, var plan = seats[place],
            !plan.additions.contains(record.transaction)
        else { return }
        let isNew = transactions[record.transaction].latest == nil
        if isNew {
            plan.quantity = plan.renewalQuantity
            plan.additions = []
            seats[place] = plan
        }
        if isNew || subscriptions[place].current == record.transaction {
            record.quantity = plan.quantity
            record.flags.insert(.isMultiSeat)
        }
    }

    /// Adds the members about items and seats to the payload of a transaction.
    func addDetails(of record: TransactionRecord, to members: inout [String: JSONText]) {
        members["advancedCommerceInfo"] = commerce[record.transaction]?.transactionInfo
        guard record.flags.contains(.isMultiSeat), let place = record.subscription, let plan = seats[place] else {
            return
        }
        if record.flags.contains(.isOfSeveral) { members["additionalTransactionReason"] = .string("SEAT_ADDITION") }
        // The price of a multi-seat transaction is the average price of one seat.
        members["multiSeatInfo"] = .object([
            "invitationManagement": .string(plan.invitations.rawValue),
            "priceTiers": .array([
                .object(["price": .whole(record.price), "quantity": .integer(Int64(record.quantity))])
            ]),
            "revokedSeatQuantity": record.revokedSeats == 0 ? .null : .integer(Int64(record.revokedSeats)),
        ])
    }

    /// Adds the members about items and seats to the payload of a renewal info.
    func addDetails(of record: RenewalRecord, to members: inout [String: JSONText]) {
        members["advancedCommerceInfo"] = renewalCommerce[record.subscription]?.renewalInfo
        guard let plan = seats[record.subscription] else { return }
        members["renewalQuantity"] = .integer(Int64(plan.renewalQuantity))
        members["multiSeatInfo"] = .object([
            "renewalPriceTiers": .array([
                .object(["price": .whole(record.price), "quantity": .integer(Int64(plan.renewalQuantity))])
            ])
        ])
    }
}
