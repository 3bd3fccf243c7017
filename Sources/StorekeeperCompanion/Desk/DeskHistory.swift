import FoundationEssentials
import Storekeeper

/// A page of everything that the vault has recorded about a customer, newest first.
///
/// Each row of the page is a moment: something that happened at an instant.
///
/// Purchases, renewals and refunds are ordered by the times that the App Store reports. All other moments are ordered
/// by the times at which they were recorded.
struct DeskHistory {
    /// The kinds of moments, by which the page can be filtered.
    enum Kind: String, CaseIterable, Sendable {
        case purchases, balances, access, answers, messages
    }

    /// The position of a moment in the list, after which the next page can begin.
    struct Cursor: Comparable, LosslessStringConvertible, Sendable {
        let at: Instant
        /// The number of the moment's row in the vault.
        let place: Int64
        /// The number that distinguishes moments of the same row in the vault.
        let part: Int64

        init(at instant: Instant, place: Int64, part: Int64) {
            at = instant
            self.place = place
            self.part = part
        }

        init?(_ description: String) {
            let parts = description.split(separator: "_", omittingEmptySubsequences: false).map { Int64($0) }
            guard parts.count == 3, let milliseconds = parts[0], let at = Instant(millisecondsSince1970: milliseconds),
                let place = parts[1], let part = parts[2]
            else { return nil }
            self.init(at: at, place: place, part: part)
        }

        var description: String { "\(at.millisecondsSince1970)_\(place)_\(part)" }

        static func < (left: Cursor, right: Cursor) -> Bool {
            (left.at, left.place, left.part) < (right.at, right.place, right.part)
        }
    }

    /// Something that happened at an instant.
    struct Moment {
        let cursor: Cursor
        let kind: Kind
        let what: String
        var change: Int64?
        var after: Int64?
        var details: [String] = []
    }

    /// The maximum number of moments on a page.
    static let pageSize = 100

    /// The moments of the page.
    private(set) var page: [Moment] = []
    /// The position after which the next page begins; `nil` on the last page.
    private(set) var next: Cursor?

    private let format: DeskFormat
    private var moments: [Moment] = []

    /// Makes a page.
    ///
    /// - Parameters:
    ///   - record: The customer's record.
    ///   - kind: The kind of the moments that are shown; `nil` for all kinds.
    ///   - cursor: The last moment of the previous page; `nil` for the first page.
    init(_ record: DeskRecord, only kind: Kind?, before cursor: Cursor?, limit: Int = pageSize, _ format: DeskFormat) {
        self.format = format
        if kind == nil || kind == .purchases {
            addTransactions(record.facts)
            addPlans(record.facts)
            addOtherEvidence(record.facts)
            addBindings(record.bindings)
        }
        for entry in record.entries where kind == nil || kind == (entry.kind.movesBalance ? .balances : .access) {
            moments.append(moment(entry))
        }
        if kind == nil || kind == .answers { for event in record.events { moments.append(moment(event)) } }
        if kind == nil || kind == .messages { for attempt in record.attempts { moments.append(moment(attempt)) } }
        if kind == nil || kind == .purchases { for erasure in record.erasures { moments.append(moment(erasure)) } }
        let sorted = moments.filter { moment in cursor.map { moment.cursor < $0 } ?? true }
            .sorted { $0.cursor > $1.cursor }
        page = Array(sorted.prefix(limit))
        next = sorted.count > limit ? page.last?.cursor : nil
        moments = []
    }

    private var texts: DeskTexts { format.texts }

    // MARK: Purchases

    /// Adds a moment for each purchase and each revocation, from the newest copy of each transaction.
    private mutating func addTransactions(_ facts: [StoredFact]) {
        var newest: [TransactionKey: (transaction: Transaction, learned: StoredFact)] = [:]
        for stored in facts {
            guard let transaction = stored.fact.transaction else { continue }
            let key = TransactionKey(transaction)
            guard let known = newest[key] else {
                newest[key] = (transaction, stored)
                continue
            }
            // The first stored copy of a transaction has the time at which the vault learned of the purchase.
            if CopyOrder.supersedes(transaction, known.transaction) { newest[key] = (transaction, known.learned) }
        }
        for (transaction, learned) in newest.values {
            // Every transaction of a period to which seats were added names the reason, also the one that began it.
            let isSeatAddition =
                transaction.additionalTransactionReason == .seatAddition
                && newest.values.contains { $0.transaction.began(thePeriodOf: transaction) }
            add(transaction, learned, isSeatAddition: isSeatAddition)
        }
    }

    private mutating func add(_ transaction: Transaction, _ learned: StoredFact, isSeatAddition: Bool) {
        let product = transaction.productID.rawValue
        let text: DeskText =
            switch transaction.ownershipType {
            case .familyShared: .didReceiveShared
            case .assigned: .didReceiveAssigned
            default: isSeatAddition ? .didAddSeats : transaction.reason == .renewal ? .didRenew : .didBuy
            }
        var details = [texts(.detailTransaction, ["id": transaction.id.rawValue])]
        if let price = format.price(of: transaction) { details.append(price) }
        if let end = transaction.expiresAt { details.append(texts(.detailExpires, ["time": format.time(end)])) }
        if learned.learnedAt.milliseconds(since: transaction.purchasedAt) > 60_000 {
            details.append(texts(.detailLearned, ["time": format.time(learned.learnedAt)]))
        }
        moments.append(
            Moment(
                cursor: Cursor(at: transaction.purchasedAt, place: learned.place.number, part: 0), kind: .purchases,
                what: texts(text, ["product": product]), details: details))
        guard let revokedAt = transaction.revokedAt else { return }
        let isShared = transaction.ownershipType != .purchased
        moments.append(
            Moment(
                cursor: Cursor(at: revokedAt, place: learned.place.number, part: 1), kind: .purchases,
                what: texts(isShared ? .didEndSharing : .didRefund, ["product": product]),
                details: [texts(.detailTransaction, ["id": transaction.id.rawValue])]))
    }

    /// Adds a moment for each change of a subscription's plan.
    private mutating func addPlans(_ facts: [StoredFact]) {
        var plans: [RenewalInfoKey: [(stored: StoredFact, info: RenewalInfo)]] = [:]
        for stored in facts {
            if let info = stored.fact.renewalInfo { plans[RenewalInfoKey(info), default: []].append((stored, info)) }
        }
        for rows in plans.values {
            var previous: RenewalInfo?
            for (stored, info) in rows.sorted(by: { $0.info.signedAt < $1.info.signedAt }) {
                defer { previous = info }
                guard let what = change(from: previous, to: info) else { continue }
                moments.append(
                    Moment(
                        cursor: Cursor(at: info.signedAt, place: stored.place.number, part: 0), kind: .purchases,
                        what: what,
                        details: [texts(.detailTransaction, ["id": info.originalTransactionID.rawValue])]))
            }
        }
    }

    /// Returns a description of a change of a plan; `nil` if nothing changed that matters to support staff.
    private func change(from old: RenewalInfo?, to new: RenewalInfo) -> String? {
        let product = (new.currentProductID ?? new.autoRenewProductID)?.rawValue ?? ""
        if new.isInBillingRetry == true || new.gracePeriodExpiresAt != nil,
            old?.isInBillingRetry != new.isInBillingRetry
        {
            if let end = new.gracePeriodExpiresAt, end > new.signedAt {
                return texts(.didEnterGrace, ["product": product, "time": format.time(end)])
            }
            if new.isInBillingRetry == true { return texts(.didFailBilling, ["product": product]) }
        }
        if old?.autoRenewStatus != new.autoRenewStatus, let status = new.autoRenewStatus {
            return texts(status.isOn == false ? .didTurnOff : .didTurnOn, ["product": product])
        }
        if let next = new.autoRenewProductID, old?.autoRenewProductID != next, next != new.currentProductID {
            return texts(.didChangePlan, ["product": next.rawValue])
        }
        return old == nil ? texts(.didPlan, ["product": product]) : nil
    }

    /// Adds a moment for each status in a notification, and for the first download and the revocation of the app.
    private mutating func addOtherEvidence(_ facts: [StoredFact]) {
        var downloads: [ChainID: (newest: AppTransaction, learned: StoredFact)] = [:]
        for stored in facts {
            switch stored.fact.content {
            case .notification(let notification, let status):
                let state = RenewalState.allCases.first { Int64($0.number) == status.number }?.rawValue
                moments.append(
                    Moment(
                        cursor: Cursor(at: status.signedAt, place: stored.place.number, part: 0), kind: .purchases,
                        what: texts(
                            .didReportState,
                            [
                                "id": status.originalID.rawValue,
                                "state": texts.word("state", state ?? "\(status.number)"),
                            ]),
                        details: [notification.type]))
            case .appTransaction(let app, let chain):
                let known = downloads[chain]
                if let known, known.newest.signedAt >= app.signedAt { continue }
                downloads[chain] = (app, known?.learned ?? stored)
            case .transaction, .renewalInfo: break
            }
        }
        for (chain, download) in downloads {
            let (app, place) = (download.newest, download.learned.place.number)
            let id = texts(.detailTransaction, ["id": chain.originalID.rawValue])
            moments.append(
                Moment(
                    cursor: Cursor(at: app.originallyPurchasedAt ?? app.signedAt, place: place, part: 0),
                    kind: .purchases,
                    what: app.originalAppVersion.map { texts(.didGetVersion, ["version": $0]) } ?? texts(.didGetApp),
                    details: [id]))
            guard let revokedAt = app.revokedAt else { continue }
            moments.append(
                Moment(
                    cursor: Cursor(at: revokedAt, place: place, part: 1), kind: .purchases, what: texts(.didLoseApp),
                    details: [id]))
        }
    }

    private mutating func addBindings(_ bindings: [Binding]) {
        for binding in bindings {
            let what =
                switch binding.subject {
                case .chain(let chain): texts(.didOwnChain, ["id": chain.originalID.rawValue])
                case .token(let token): texts(.didOwnToken, ["id": token.uuidString.lowercased()])
                }
            moments.append(
                Moment(
                    cursor: Cursor(at: binding.at, place: binding.place.number, part: 0), kind: .purchases, what: what))
        }
    }

    // MARK: The account

    private func moment(_ entry: LedgerEntry) -> Moment {
        let balance = entry.balance.rawValue
        var details: [String] = []
        var what = ""
        switch entry.cause {
        case .transaction(let key, let productID, _):
            let text: DeskText =
                switch entry.kind {
                case .clawBack: .didClawBack
                case .restore: .didRestore
                case .credit, .spend, .grant, .grantAccess, .revokeAccess, .transfer: .didCredit
                }
            what = texts(text, ["balance": balance, "product": productID.rawValue])
            details.append(texts(.detailTransaction, ["id": key.transactionID.rawValue]))
        case .request(let key, let reason):
            what = texts(entry.kind == .grant ? .didGrant : .didSpend, ["balance": balance])
            if let reason { details.append(reason) }
            details.append(texts(.detailKey, ["key": key.rawValue]))
        case .access(let subject, let until, let key, let reason):
            what = texts(
                .didGrantAccess, ["subject": texts.subject(subject), "time": format.time(until)])
            details += [reason, texts(.detailKey, ["key": key.rawValue])]
        case .revocation(let key, let reason):
            what = texts(.didRevokeAccess)
            details += [reason, texts(.detailKey, ["key": key.rawValue])]
        case .transfer(let subject, let from, let to, let reason):
            let isLost = from == entry.customer
            what = texts(
                isLost ? .didTransferOut : .didTransferIn,
                ["subject": subject.name, "holder": (isLost ? to : from).rawValue])
            details.append(reason)
        }
        if let name = entry.recordedBy { details.append(texts(.detailBy, ["name": name])) }
        return Moment(
            cursor: Cursor(at: entry.at, place: entry.place.number, part: 0),
            kind: entry.kind.movesBalance ? .balances : .access, what: what,
            change: entry.kind.movesBalance ? entry.change : nil, after: entry.kind.movesBalance ? entry.after : nil,
            details: details)
    }

    // MARK: Answers, messages, erasures

    private func moment(_ event: StoreEvent) -> Moment {
        let cursor = Cursor(at: event.change.at, place: event.place.number, part: 0)
        if let notification = event.notification {
            return Moment(
                cursor: cursor, kind: .messages, what: texts(.didNotify, ["kind": notification.name]),
                details: [notification.transactionID?.rawValue, notification.details].compactMap(\.self))
        }
        return Moment(
            cursor: cursor, kind: .answers, what: format.change(event.change), details: ["\(event.change.after)"])
    }

    private func moment(_ attempt: WebhookAttempt) -> Moment {
        var details = [attempt.messageID]
        if let status = attempt.status { details.append(texts(.detailStatus, ["status": String(status)])) }
        if let problem = attempt.problem { details.append(problem) }
        return Moment(
            cursor: Cursor(at: attempt.place.at, place: attempt.event.number, part: attempt.place.number),
            kind: .messages,
            what: texts(
                .didPost,
                ["webhook": attempt.webhook, "outcome": texts.word("outcome", attempt.outcome.rawValue)]),
            details: details)
    }

    private func moment(_ erasure: Erasure) -> Moment {
        Moment(
            cursor: Cursor(at: erasure.at, place: erasure.place.number, part: 0), kind: .purchases,
            what: texts(.didErase),
            details: [
                erasure.reason,
                texts(
                    .detailFacts,
                    [
                        "facts": format.number(Int64(erasure.facts)),
                        "entries": format.number(Int64(erasure.entries)),
                    ]),
            ])
    }
}

extension Transaction {
    /// Returns whether the transaction is an earlier one of the same period as another transaction.
    fileprivate func began(thePeriodOf other: Transaction) -> Bool {
        purchasedAt < other.purchasedAt && expiresAt == other.expiresAt && productID == other.productID
            && ChainID(self) == ChainID(other)
    }
}

extension DeskTexts {
    /// Returns the name of the product or feature of a grant.
    func subject(_ subject: AccessGrant.Subject) -> String {
        switch subject {
        case .product(let id): id.rawValue
        case .feature(let id): self(.subjectFeature, ["name": id.rawValue])
        }
    }
}
