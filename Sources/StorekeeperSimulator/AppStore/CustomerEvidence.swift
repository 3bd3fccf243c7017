package import Storekeeper

/// The signed items of a customer as of an instant, with additional information that signed items do not contain.
package struct CustomerEvidence: Sendable {
    /// A signed transaction or renewal info.
    package struct Item: Sendable {
        /// A number that is unique among the signed items of the store.
        package let number: UInt64
        /// The compact JWS; `nil` if the caller already has the item.
        package let jws: String?
    }

    /// A purchase that waits for a guardian's approval or for the resolution of an issue.
    package struct Waiting: Sendable {
        package let productID: Product.ID
        package let begunAt: Instant
        package let awaitsApproval: Bool
    }

    /// A request for the customer's consent to a higher price, or the customer's consent.
    package struct PriceIncrease: Sendable {
        package let productID: Product.ID
        package let at: Instant
        package let isAgreed: Bool
    }

    /// The newest copy of each transaction and renewal info as of the instant.
    package internal(set) var items: [Item] = []
    /// The purchases that had begun by the instant and are still waiting.
    package internal(set) var waiting: [Waiting] = []
    /// The requests for consent to higher prices, and the consents; those of one subscription are in order of time.
    package internal(set) var priceIncreases: [PriceIncrease] = []
    /// Whether a failure of verification is simulated.
    ///
    /// In this case, the same item may have different texts although its number stays the same.
    package internal(set) var isFlawed = false
}

extension SimulatedAppStore {
    /// Returns the evidence of a customer as it was at an instant.
    ///
    /// If the instant is `nil`, the items are the same as those of ``evidence(of:app:)``.
    ///
    /// - Parameters:
    ///   - instant: The instant. Items signed later are omitted; `nil` includes all items.
    ///   - isKnown: Returns whether the caller already has the item with this number. If so, the item is not signed.
    /// - Throws: ``SimulatorError`` if the account or app does not exist; errors of the cryptographic library.
    package func customerEvidence(
        of customer: CustomerID, app: String? = nil, signedThrough instant: Instant? = nil,
        isKnown: (UInt64) -> Bool = { _ in false }
    ) throws -> CustomerEvidence {
        try read { world -> CustomerEvidence in
            var evidence = CustomerEvidence()
            let app = try world.app(app)
            guard let download = world.existingDownload(of: try world.account(customer), app: app) else {
                return evidence
            }
            evidence.isFlawed = world.apps[app].settings.simulatedErrors[.verification] != nil
            let isFlawed = evidence.isFlawed
            for transaction in world.transactions(of: download).reversed() {
                let state = world.transactions[transaction]
                guard !state.isDeleted else { continue }
                if [.awaitsApproval, .interrupted].contains(state.stage), state.begunAt <= instant ?? world.now {
                    evidence.waiting.append(
                        CustomerEvidence.Waiting(
                            productID: world.apps[app].product(state.product).id, begunAt: state.begunAt,
                            awaitsApproval: state.stage == .awaitsApproval))
                }
                guard let place = world.copy(of: state.latest, signedThrough: instant) else { continue }
                let number = UInt64(place.index)
                let jws = !isFlawed && isKnown(number) ? nil : try issuer.transaction(place, in: world, for: nil)
                evidence.items.append(CustomerEvidence.Item(number: number, jws: jws))
            }
            for subscription in world.downloads[download].subscriptions {
                let newest = world.subscriptions[subscription].renewalRecord
                evidence.priceIncreases += world.priceIncreases(through: newest, signedThrough: instant)
                guard let place = world.copy(of: newest, signedThrough: instant) else { continue }
                let number = UInt64(place.index) | 1 << 40
                let jws = !isFlawed && isKnown(number) ? nil : try issuer.renewalInfo(place, in: world, for: nil)
                evidence.items.append(CustomerEvidence.Item(number: number, jws: jws))
            }
            return evidence
        }
    }
}

extension World {
    /// Returns the newest copy of a transaction that was signed at or before an instant.
    fileprivate func copy(
        of newest: RowIndex<TransactionRecord>?, signedThrough instant: Instant?
    ) -> RowIndex<TransactionRecord>? {
        var place = newest
        while let instant, let next = place, records[next].signedAt > instant {
            place = records.place(at: Int(records[next].previousIndex))
        }
        return place
    }

    /// Returns the newest copy of a renewal info that was signed at or before an instant.
    fileprivate func copy(
        of newest: RowIndex<RenewalRecord>?, signedThrough instant: Instant?
    ) -> RowIndex<RenewalRecord>? {
        var place = newest
        while let instant, let next = place, renewalRecords[next].signedAt > instant {
            place = renewalRecords.place(at: Int(renewalRecords[next].previousIndex))
        }
        return place
    }

    /// Returns the requests for consent to a higher price, and the consents, by comparing successive copies of a
    /// renewal info.
    fileprivate func priceIncreases(
        through newest: RowIndex<RenewalRecord>?, signedThrough instant: Instant?
    ) -> [CustomerEvidence.PriceIncrease] {
        var changes: [CustomerEvidence.PriceIncrease] = []
        var place = copy(of: newest, signedThrough: instant)
        while let next = place {
            let record = renewalRecords[next]
            place = renewalRecords.place(at: Int(record.previousIndex))
            guard record.priceIncrease == .pending || record.priceIncrease == .agreed,
                place.map({ renewalRecords[$0].priceIncrease }) != record.priceIncrease
            else { continue }
            changes.append(
                CustomerEvidence.PriceIncrease(
                    productID: apps[subscriptions[record.subscription].app].product(record.product).id,
                    at: record.signedAt, isAgreed: record.priceIncrease == .agreed))
        }
        return changes.reversed()
    }
}
