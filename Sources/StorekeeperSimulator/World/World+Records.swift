import Storekeeper

extension World {
    /// Gives the next number to a transaction.
    mutating func newTransaction(
        of product: Int32, download: Int32, stage: TransactionState.Stage = .purchased
    ) -> Int32 {
        let number = Int32(transactions.count)
        transactions.append(
            TransactionState(
                download: download, product: product, previous: downloads[Int(download)].lastTransaction, stage: stage))
        downloads[Int(download)].lastTransaction = number
        return number
    }

    /// Signs a state of a transaction.
    ///
    /// Of two states of one transaction the later is signed later, by at least a millisecond; and so is the next
    /// transaction of a subscription, where both come at one instant.
    ///
    /// - Returns: The place of the record.
    @discardableResult
    mutating func sign(_ record: TransactionRecord) -> Int32 {
        let place = Int32(records.count)
        records.append(record)
        let number = Int(record.number)
        var signedAt = now
        if let latest = transactions[number].latest {
            signedAt = max(now, records[Int(latest)].signedAt.adding(milliseconds: 1))
        } else if let line = record.line, let earlier = lines[Int(line)].lastSignedAt {
            // Bought again at the instant at which the one before was taken back: the newer of the two all the same.
            signedAt = max(now, earlier.adding(milliseconds: 1))
        }
        if let line = record.line { lines[Int(line)].lastSignedAt = signedAt }
        records[Int(place)].signedAt = signedAt
        transactions[number].latest = place
        return place
    }

    /// Signs a transaction again after a change.
    @discardableResult
    mutating func resign(_ number: Int32, _ change: (inout TransactionRecord) -> Void) -> Int32? {
        guard let latest = transactions[Int(number)].latest else { return nil }
        var record = records[Int(latest)]
        change(&record)
        return sign(record)
    }

    /// Signs what is to be said about the next renewal of a subscription.
    ///
    /// - Returns: The place of the record.
    @discardableResult
    mutating func signRenewal(of place: Int32) -> Int32 {
        let line = lines[Int(place)]
        var signedAt = now
        if let last = line.renewalRecord {
            signedAt = max(now, renewalRecords[Int(last)].signedAt.adding(milliseconds: 1))
        }
        var record = RenewalRecord(
            line: place, original: line.original, product: line.product, nextProduct: line.followingProduct,
            willRenew: line.autoRenews, isInBillingRetry: line.isInBillingRetry,
            expirationIntent: line.expirationIntent, priceIncrease: line.priceIncrease, plan: line.plan,
            nextPlan: line.followingPlan, graceEndsAt: line.graceEndsAt, renewsAt: line.expiresAt,
            price: line.autoRenews ? nextPrice(of: line) : nil,
            offer: nextOffer(of: line), token: line.token,
            storefront: accounts[Int(line.account)].storefront, recentStart: line.recentStart, signedAt: signedAt)
        if line.plan == .monthly { record.commitment = commitmentRenewal(of: line) }
        if line.phase == .expired, line.sharedFrom == nil {
            let offers = eligibleWinBackOffers(of: line)
            record.winBackOffers = (Int32(winBackLists.count), Int32(winBackLists.count + offers.count))
            winBackLists += offers
        }
        let index = Int32(renewalRecords.count)
        renewalRecords.append(record)
        lines[Int(place)].renewalRecord = index
        return index
    }

    /// What the next period of a subscription costs, in milliunits.
    func nextPrice(of line: SubscriptionLine) -> Int64? {
        if let offer = nextOffer(of: line) {
            return apps[Int(line.app)].offerTerms[Int(offer)].price
        }
        return nextStandardPrice(of: line)
    }

    /// The same without any offer.
    func nextStandardPrice(of line: SubscriptionLine) -> Int64? {
        if line.followingProduct == line.product, line.followingPlan == line.plan {
            return line.isCommitted ? line.standardPrice : line.comingPrice
        }
        return listPrice(of: line.followingProduct, plan: line.followingPlan, app: line.app)
    }

    /// What a product costs whoever buys it now, in milliunits.
    func listPrice(of product: Int32, plan: Plan, app: Int32) -> Int64? {
        let terms = apps[Int(app)].terms[Int(product)]
        return plan == .monthly ? terms.monthlyPlan?.price ?? nil : terms.price
    }

    // MARK: The journal

    /// Notes what has happened to a subscription, with its newest records.
    mutating func tell(_ kind: HappeningKind, of place: Int32, transaction: Int32? = nil, signsRenewal: Bool = true) {
        let renewal = signsRenewal ? signRenewal(of: place) : lines[Int(place)].renewalRecord
        let line = lines[Int(place)]
        journal.append(
            JournalEntry(
                at: now, kind: kind, status: status(of: line), download: line.download, account: line.account,
                transaction: transaction ?? transactions[Int(line.current)].latest, renewal: renewal))
    }

    /// The number of the state of a subscription now: of the running period, where the next one is paid already.
    func status(of line: SubscriptionLine) -> UInt8 {
        guard line.startedAt > now, let latest = runningBefore(line).flatMap({ transactions[Int($0)].latest }),
            records[Int(latest)].revocation != nil
        else { return line.status }
        return 5
    }

    /// The transaction of the period that runs still, where the next one is paid already: the last day before a
    /// renewal that was charged early.
    func runningBefore(_ line: SubscriptionLine) -> Int32? {
        guard line.startedAt > now, let latest = transactions[Int(line.current)].latest,
            let place = records[Int(latest)].line
        else { return nil }
        var next = transactions[Int(line.current)].previous
        while let number = next {
            let state = transactions[Int(number)]
            if !state.isDeleted, let latest = state.latest, isTransaction(number, of: place) {
                return records[Int(latest)].expiresAt ?? .distantPast > now ? number : nil
            }
            next = state.previous
        }
        return nil
    }

    /// Notes what has happened to a transaction that is of no subscription.
    mutating func tell(_ kind: HappeningKind, ofTransaction number: Int32, note: String? = nil) {
        let state = transactions[Int(number)]
        journal.append(
            JournalEntry(
                at: now, kind: kind, download: state.download, account: downloads[Int(state.download)].account,
                transaction: state.latest, subject: number, note: note.map { place(ofNote: $0) }))
    }

    /// Notes what has happened to an account or to the whole store.
    mutating func tell(_ kind: HappeningKind, account: Int32? = nil, download: Int32? = nil, note: String) {
        journal.append(
            JournalEntry(
                at: now, kind: kind, download: download, account: account, note: place(ofNote: note)))
    }
}
