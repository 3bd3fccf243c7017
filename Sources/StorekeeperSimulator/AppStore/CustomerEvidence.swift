package import Storekeeper

/// The signed items of a customer as of an instant, with additional information that signed items do not contain.
package struct CustomerEvidence: Sendable {
    /// A signed transaction, renewal info or app transaction.
    package struct Item: Sendable {
        /// A number that is unique among the signed items of the store.
        package let number: UInt64
        /// The compact JWS; `nil` if the caller already has the item.
        package let jws: String?
        /// Whether a failure of verification is simulated for the item.
        ///
        /// Such an item may have different texts although its number stays the same.
        package let isFlawed: Bool
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

    /// The newest copy of each transaction as of the instant, every copy of each renewal info that was signed by then,
    /// and the app transaction, if it was set by then.
    ///
    /// An earlier copy of a renewal info says what the answers were before the newest copy was signed.
    package internal(set) var items: [Item] = []
    /// The purchases that had begun by the instant and are still waiting.
    package internal(set) var waiting: [Waiting] = []
    /// The requests for consent to higher prices, and the consents; those of one subscription are in order of time.
    package internal(set) var priceIncreases: [PriceIncrease] = []
}

extension SimulatedAppStore {
    /// Returns the evidence of a customer as it was at an instant.
    ///
    /// An app transaction is included only if a step has set it, because only then an engine that plays the story
    /// receives it.
    ///
    /// While a failure of verification is simulated, only the items that were signed since the failure began have the
    /// flaw. An engine received the earlier items when they were still valid.
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
            let isFailing = world.apps[app].settings.simulatedErrors[.verification] != nil
            let first = isFailing ? world.apps[app].firstFlawed : nil
            let flawed = copy world
            var intact = flawed
            if isFailing { intact.apps[app].settings.simulatedErrors[.verification] = nil }
            for transaction in world.transactions(of: download).reversed() {
                let state = world.transactions[transaction]
                guard !state.isDeleted else { continue }
                if [.awaitsApproval, .interrupted].contains(state.stage), state.begunAt <= instant ?? world.now {
                    evidence.waiting.append(
                        CustomerEvidence.Waiting(
                            productID: world.apps[app].product(state.product).id, begunAt: state.begunAt,
                            awaitsApproval: state.stage == .awaitsApproval))
                }
                guard let place = world.records.copies(of: state.latest, signedThrough: instant).last else { continue }
                let number = UInt64(place.index)
                let isFlawed = first.map { place.index >= $0.transactions } ?? false
                let jws =
                    !isFlawed && isKnown(number)
                    ? nil : try issuer.transaction(place, in: isFlawed ? flawed : intact, for: nil)
                evidence.items.append(CustomerEvidence.Item(number: number, jws: jws, isFlawed: isFlawed))
            }
            for subscription in world.downloads[download].subscriptions {
                let copies = world.renewalRecords.copies(
                    of: world.subscriptions[subscription].renewalRecord, signedThrough: instant)
                evidence.priceIncreases += world.priceIncreases(in: copies)
                for place in copies {
                    let number = UInt64(place.index) | 1 << 40
                    let isFlawed = first.map { place.index >= $0.renewalInfos } ?? false
                    let jws =
                        !isFlawed && isKnown(number)
                        ? nil : try issuer.renewalInfo(place, in: isFlawed ? flawed : intact, for: nil)
                    evidence.items.append(CustomerEvidence.Item(number: number, jws: jws, isFlawed: isFlawed))
                }
            }
            let states = world.appTransactionRecords
            if let place = states.copies(of: world.downloads[download].appTransaction, signedThrough: instant).last {
                let number = UInt64(place.index) | 2 << 40
                let isFlawed = first.map { place.index >= $0.appTransactions } ?? false
                let jws =
                    !isFlawed && isKnown(number)
                    ? nil : try issuer.appTransaction(states[place], in: isFlawed ? flawed : intact, for: nil)
                evidence.items.append(CustomerEvidence.Item(number: number, jws: jws, isFlawed: isFlawed))
            }
            return evidence
        }
    }
}

/// One copy of a signed item, which knows the previous copy of the item.
private protocol SignedCopy {
    var signedAt: Instant { get }
    /// The index of the previous copy; -1 for the first copy.
    var previousIndex: Int32 { get }
}

extension TransactionRecord: SignedCopy {}
extension RenewalRecord: SignedCopy {}
extension AppTransactionRecord: SignedCopy {}

extension Table where Row: SignedCopy {
    /// Returns the copies of an item that were signed at or before an instant, the oldest first.
    ///
    /// - Parameters:
    ///   - newest: The newest copy; `nil` if the item was never signed.
    ///   - instant: The instant; `nil` for all copies.
    fileprivate func copies(of newest: RowIndex<Row>?, signedThrough instant: Instant?) -> [RowIndex<Row>] {
        var copies: [RowIndex<Row>] = []
        var place = newest
        while let next = place {
            let copy = self[next]
            if copy.signedAt <= instant ?? copy.signedAt { copies.append(next) }
            place = self.place(at: Int(copy.previousIndex))
        }
        return copies.reversed()
    }
}

extension World {
    /// Returns the requests for consent to a higher price, and the consents, by comparing successive copies of a
    /// renewal info.
    fileprivate func priceIncreases(in copies: [RowIndex<RenewalRecord>]) -> [CustomerEvidence.PriceIncrease] {
        var changes: [CustomerEvidence.PriceIncrease] = []
        var last: PriceIncrease?
        for place in copies {
            let record = renewalRecords[place]
            defer { last = record.priceIncrease }
            guard record.priceIncrease == .pending || record.priceIncrease == .agreed, record.priceIncrease != last
            else { continue }
            changes.append(
                CustomerEvidence.PriceIncrease(
                    productID: apps[subscriptions[record.subscription].app].product(record.product).id,
                    at: record.signedAt, isAgreed: record.priceIncrease == .agreed))
        }
        return changes
    }
}
