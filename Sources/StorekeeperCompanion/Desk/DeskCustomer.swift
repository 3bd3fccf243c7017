import Storekeeper
import StorekeeperCharts
import StorekeeperPages

/// The page about one customer.
struct DeskCustomer {
    /// A value about the customer, with its label.
    struct Note {
        let label: String
        let value: String
    }

    /// A diagnostic of the evidence.
    struct DiagnosticRow {
        /// The meaning of the diagnostic, in the language of the page.
        let meaning: String
        /// The engine's message, which contains the details, in English.
        let message: String

        init(_ diagnostic: Diagnostic, _ texts: DeskTexts) {
            let code = diagnostic.code
            let about = diagnostic.subject.map { " (\($0))" } ?? ""
            meaning =
                "\(texts.word("severity", diagnostic.severity.rawValue)): \(code)\(about): "
                + (code.meanings[texts.language.rawValue] ?? code.rawValue)
            message = diagnostic.message
        }
    }

    /// Controls that choose a time: a field, and links to times some days earlier or later.
    struct Stepper {
        let id: String
        let label: String
        /// The chosen time, as it can be typed; empty for the present.
        let value: String
        let earlier: [Link]
        let later: [Link]
        /// The URL of the page for the present; `nil` if the present is chosen.
        let nowAddress: String?
    }

    /// A balance with the sums that it consists of.
    struct BalanceRow {
        let id: String
        let bought: String
        let granted: String
        let spent: String
        let takenBack: String
        let left: String
        let sum: String
    }

    /// A row of the table of transactions.
    struct TransactionRow {
        let id: String
        let product: String
        let purchased: String
        let expires: String
        let price: String
        let notes: String
    }

    /// An offer, and whether the customer may have it.
    struct OfferRow {
        let product: String
        let offer: String
        let answer: String
        let until: String
    }

    /// A subscription, with links to Apple's pages on which the customer can manage it.
    struct ActionRow {
        let product: String
        let state: String
        let links: [Link]
    }

    /// A link with its name.
    struct Link {
        let name: String
        let url: String
        var isCurrent = false
    }

    /// A row of the history: something that happened at an instant.
    struct MomentRow {
        let time: String
        let thenAddress: String
        let what: String
        let change: String
        let after: String
        let details: String
    }

    /// The maximum number of transactions on a page.
    static let transactionsPage = 40

    let customer: String
    let title: String
    /// What the customer has lost last, and what the customer has.
    let summary: String
    let stand: String
    let change: String?
    /// The URL of the page about the present; `nil` if the page already shows the present.
    let presentAddress: String?
    let diagnostics: [DiagnosticRow]
    let notes: [Note]
    let timeline: TimelineContent?
    /// The controls for the time of the answers, and for the time whose evidence counts.
    let steppers: [Stepper]
    /// The hidden fields of the form with the times.
    let travelFields: [TimelineContent.Field]
    /// The URL of the answers at the chosen time, from what was known at that time; `nil` if the page shows them.
    let thenAddress: String?
    let answers: DeskAnswers
    let balances: [BalanceRow]
    let transactions: [TransactionRow]
    let olderTransactions: String?
    let newestTransactions: String?
    private(set) var offers: [OfferRow] = []
    private(set) var actions: [ActionRow] = []
    let moments: [MomentRow]
    let filters: [Link]
    let olderMoments: String?
    let newestMoments: String?
    /// The summary of the customer for a ticket.
    var ticket = ""
    let ticketAddress: String
    let pageAddress: String

    /// The choices in the page's URL, such as the kind of history rows and the answer to explain.
    struct Choice: Sendable {
        var kind: DeskHistory.Kind?
        var moments: DeskHistory.Cursor?
        /// The id of the last transaction of the previous page.
        var transactions: String?

        /// The id of the product whose answer the page explains.
        var why: String?

        /// The URL parameter for the kind of history rows.
        var kept: [(String, String)] { kind.map { [("only", $0.rawValue)] } ?? [] }

        /// The URL parameters for all choices.
        var fields: [(String, String)] {
            kept
                + [("before", moments?.description), ("after", transactions), ("why", why)].compactMap { name, value in
                    value.map { (name, $0) }
                }
        }
    }

    /// The answers about the customer at the chosen time.
    struct State: Sendable {
        /// The resolution of the evidence that was known at the chosen time.
        let resolution: Resolution
        /// The same as ``resolution``, but with `unknown` in place of `never` if evidence may be missing.
        let answers: Resolution
        let at: Instant
        let diagnostics: [Diagnostic]
        let explanation: Explanation?
        /// The offers; `nil` if the page uses only the evidence that was known at an earlier time.
        let offers: CustomerOffers?
        /// The newest copies of all transactions, newest purchase first.
        let transactions: [Transaction]
    }

    init(
        _ record: DeskRecord, _ state: State, _ choice: Choice, at clock: Instant, _ place: DeskPlace,
        _ format: DeskFormat
    ) {
        let texts = format.texts
        customer = record.customer.rawValue
        title = texts(.title, ["customer": customer])
        stand =
            place.asKnownAt.map {
                texts(.answeredThen, ["time": format.time(state.at), "known": format.time($0)])
            } ?? texts(.answeredAt, ["time": format.time(state.at)])
        change = state.resolution.nextChange(after: state.at).map {
            texts(.nextChange, ["time": format.time($0, since: state.at)])
        }
        presentAddress = place.isNow ? nil : place.at(nil).address()
        diagnostics = state.diagnostics.map { DiagnosticRow($0, texts) }
        notes = Self.notes(record, state, at: clock, format)
        var chart = TimelineChart(
            ofAll: state.answers, marking: place.asKnownAt ?? clock, transactions: state.transactions,
            words: format.timelineWords(isPast: place.asKnownAt != nil))
        // The picture reaches the present, even if the page shows what was known earlier.
        chart = chart.showing(from: chart.start, to: max(chart.end, clock.adding(days: 1)))
        timeline = TimelineContent(
            record.customer, chart, at: place.at?.address, span: place.span, hasMoment: false, level: 3,
            mostRuns: DeskAnswers.maximumRows, links: Self.links(place, choice))
        steppers = Self.steppers(state, at: clock, place, format)
        thenAddress = place.at.flatMap { at in
            at < clock && at != place.asKnownAt
                ? place.at(at, asKnownAt: at).address("/desk", fragment: "timeline") : nil
        }
        travelFields = place.at(nil).fields.map { TimelineContent.Field(name: $0.0, value: $0.1) }
        answers = DeskAnswers(state.answers, at: state.at, explanation: state.explanation, place, format)
        let account = DatedAccount(record.entries.filter(\.kind.movesBalance), facts: record.facts)
        balances = Self.balances(account.entries(through: place.at ?? .distantFuture), format)
        summary = DeskSummary(state.answers, at: state.at, format).text(
            balances: balances.filter { $0.left != "0" }.map { "\($0.left) \($0.id)" }, absence: answers.absence)

        let start =
            choice.transactions.flatMap { id in
                state.transactions.firstIndex { $0.id.rawValue == id }.map { $0 + 1 }
            } ?? 0
        let page = state.transactions.dropFirst(start).prefix(Self.transactionsPage)
        transactions = page.map { Self.row($0, format) }
        olderTransactions =
            start + page.count < state.transactions.count
            ? page.last.map { place.address("/desk", [("after", $0.id.rawValue)], fragment: "transactions") } : nil
        newestTransactions = start > 0 ? place.address("/desk", fragment: "transactions") : nil

        let history = DeskHistory(record, only: choice.kind, before: choice.moments, format)
        moments = history.page.map { moment in
            MomentRow(
                time: format.time(moment.cursor.at), thenAddress: place.at(moment.cursor.at).address(),
                what: moment.what, change: moment.change.map(format.change) ?? "",
                after: moment.after.map(format.number) ?? "", details: moment.details.joined(separator: " · "))
        }
        olderMoments = history.next.map {
            place.address("/desk", choice.kept + [("before", $0.description)], fragment: "history")
        }
        newestMoments = choice.moments == nil ? nil : place.address("/desk", choice.kept, fragment: "history")
        let kinds: [(String, DeskHistory.Kind?)] =
            [("all", nil)] + DeskHistory.Kind.allCases.map { ($0.rawValue, Optional($0)) }
        filters = kinds.map { name, kind in
            Link(
                name: texts.word("kind", name),
                url: place.address("/desk", kind.map { [("only", $0.rawValue)] } ?? [], fragment: "history"),
                isCurrent: choice.kind == kind)
        }
        // A link for a ticket names the time, so that the link shows the same page later.
        let lasting = place.isNow ? place.at(state.at, asKnownAt: clock) : place
        pageAddress = lasting.address()
        ticketAddress = lasting.address("/desk/ticket.txt")
        show(state.offers, format)
    }

    // MARK: Parts

    private static func notes(
        _ record: DeskRecord, _ state: State, at clock: Instant, _ format: DeskFormat
    ) -> [Note] {
        let texts = format.texts
        func time(_ instant: Instant?) -> String {
            instant.map { format.time($0, since: clock) } ?? texts(.appleNever)
        }
        return [
            Note(label: texts(.appleHeard), value: time(record.newestSignature)),
            Note(label: texts(.wholeHistory), value: time(record.syncedAt)),
            Note(label: texts(.firstPurchase), value: time(record.firstPurchase)),
            Note(label: texts(.firstLearned), value: time(record.firstLearned)),
            Note(label: texts(.family), value: family(state, texts)),
        ]
    }

    /// Returns a text about the products that the customer shares with a family, or receives from a family.
    private static func family(_ state: State, _ texts: DeskTexts) -> String {
        func names(_ transactions: [Transaction]) -> String {
            var names: [String] = []
            for id in transactions.map(\.productID.rawValue) where !names.contains(id) { names.append(id) }
            return names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
        }
        let shared = state.transactions.filter { $0.ownershipType == .familyShared && $0.purchasedAt <= state.at }
        let (ended, running) = (
            shared.filter { ($0.revokedAt ?? .distantFuture) <= state.at },
            shared.filter {
                ($0.revokedAt ?? .distantFuture) > state.at && ($0.expiresAt ?? .distantFuture) > state.at
            }
        )
        let sharing = state.transactions.filter { transaction in
            guard state.resolution.catalog.product(transaction.productID)?.isFamilyShareable == true else {
                return false
            }
            // Only the customer's own purchases are listed, and not products that are granted or shared with the
            // customer.
            let answer = state.resolution.product(transaction.productID)?.timeline.value(at: state.at)
            return answer?.isEntitled == true && answer?.basis?.transaction.ownershipType == .purchased
        }
        var sentences: [String] = []
        if !running.isEmpty { sentences.append(texts(.familyMember, ["products": names(running)])) }
        if !ended.isEmpty { sentences.append(texts(.familyEnded, ["products": names(ended)])) }
        if !sharing.isEmpty { sentences.append(texts(.familySharer, ["products": names(sharing)])) }
        return sentences.isEmpty ? texts(.familyNone) : sentences.joined(separator: "; ")
    }

    /// Returns the links of the timeline, which retain the chosen ``DeskPlace/asKnownAt``.
    private static func links(_ place: DeskPlace, _ choice: Choice) -> TimelineContent.Links {
        let (present, whole) = (place.at(nil, asKnownAt: place.asKnownAt), place.unzoomed)
        return TimelineContent.Links(
            at: { present.address("/desk", $0.map { [("at", $0)] } ?? [], fragment: "timeline") },
            span: { whole.address("/desk", ($0.map { [("span", $0)] } ?? []) + choice.fields, fragment: "timeline") },
            kept: present.fields.map { TimelineContent.Field(name: $0.0, value: $0.1) }, action: "/desk#timeline")
    }

    /// Returns the controls for the time of the answers, and for the time whose evidence counts.
    private static func steppers(
        _ state: State, at clock: Instant, _ place: DeskPlace, _ format: DeskFormat
    ) -> [Stepper] {
        func stepper(
            _ id: String, _ label: DeskText, _ chosen: Instant?, from start: Instant, through end: Instant,
            _ placed: (Instant?) -> DeskPlace
        ) -> Stepper {
            func address(_ instant: Instant?) -> String { placed(instant).address("/desk", fragment: "timeline") }
            func links(_ steps: [(days: Int, name: DeskText)]) -> [Link] {
                steps.compactMap { step in
                    let instant = start.adding(days: step.days)
                    return instant <= end ? Link(name: format.texts(step.name), url: address(instant)) : nil
                }
            }
            return Stepper(
                id: id, label: format.texts(label), value: chosen.map(PageTime.typed) ?? "",
                earlier: links([(-30, .monthEarlier), (-1, .dayEarlier)]),
                later: links([(1, .dayLater), (30, .monthLater)]), nowAddress: chosen == nil ? nil : address(nil))
        }
        return [
            stepper("at", .travelAt, place.at, from: state.at, through: .distantFuture) {
                place.at($0, asKnownAt: place.asKnownAt)
            },
            // Nothing is known from the future.
            stepper("asKnownAt", .travelKnown, place.asKnownAt, from: place.asKnownAt ?? clock, through: clock) {
                place.at(place.at, asKnownAt: $0)
            },
        ]
    }

    /// Returns the balances as the sums of their entries.
    private static func balances(_ entries: [LedgerEntry], _ format: DeskFormat) -> [BalanceRow] {
        var sums: [Balance.ID: [LedgerEntry.Kind: Int64]] = [:]
        for entry in entries {
            sums[entry.balance, default: [:]][entry.kind, default: 0] &+= entry.change
        }
        return sums.sorted { $0.key < $1.key }.map { id, sums in
            let (bought, granted, spent) = (sums[.credit] ?? 0, sums[.grant] ?? 0, 0 &- (sums[.spend] ?? 0))
            // A restore cancels a claw-back.
            let takenBack = 0 &- ((sums[.clawBack] ?? 0) &+ (sums[.restore] ?? 0))
            let left = bought &+ granted &- spent &- takenBack
            let parts = [bought, granted, spent, takenBack, left].map(format.number)
            return BalanceRow(
                id: id.rawValue, bought: parts[0], granted: parts[1], spent: parts[2], takenBack: parts[3],
                left: parts[4],
                sum: format.texts(
                    .balanceSum,
                    [
                        "bought": parts[0], "granted": parts[1], "spent": parts[2], "refunded": parts[3],
                        "left": parts[4],
                    ]))
        }
    }

    private static func row(_ transaction: Transaction, _ format: DeskFormat) -> TransactionRow {
        let texts = format.texts
        var notes: [String] = []
        if transaction.reason == .renewal { notes.append(texts(.noteRenewal)) }
        switch transaction.ownershipType {
        case .familyShared: notes.append(texts(.noteFamily))
        case .assigned: notes.append(texts(.noteAssigned))
        default: break
        }
        if transaction.isUpgraded { notes.append(texts(.noteUpgraded)) }
        if transaction.purchasedQuantity > 1 {
            notes.append(texts(.noteQuantity, ["count": format.number(Int64(transaction.purchasedQuantity))]))
        }
        if let offer = transaction.offer {
            notes.append(
                offer.isFreeTrial
                    ? texts(.noteTrial) : texts(.noteOffer, ["offer": offer.id?.rawValue ?? offer.type.word]))
        }
        if let revokedAt = transaction.revokedAt {
            let text: DeskText = transaction.ownershipType == .purchased ? .noteRefunded : .noteSharingEnded
            notes.append(texts(text, ["time": format.time(revokedAt)]))
        }
        if transaction.environment != .production {
            notes.append(texts(.noteEnvironment, ["environment": transaction.environment.rawValue]))
        }
        return TransactionRow(
            id: transaction.id.rawValue, product: transaction.productID.rawValue,
            purchased: format.time(transaction.purchasedAt), expires: transaction.expiresAt.map(format.time) ?? "–",
            price: format.price(of: transaction) ?? "–", notes: notes.joined(separator: ", "))
    }

    /// Shows the offers for the customer, and links to Apple's pages on which the customer can act.
    private mutating func show(_ answers: CustomerOffers?, _ format: DeskFormat) {
        guard let answers else { return }
        let texts = format.texts
        offers = answers.rows.prefix(DeskAnswers.maximumRows).map { row in
            OfferRow(
                product: row.productID.rawValue,
                offer: [row.offer.kind.rawValue, row.offer.id?.rawValue].compactMap(\.self).joined(separator: " "),
                answer: "\(texts.word("offer", row.answer.word)): "
                    + texts.word("offerReason", row.answer.reasonWord),
                until: row.until.map(format.time) ?? "")
        }
        actions = answers.groups.flatMap(\.statuses).filter { !$0.links.isEmpty }.map { status in
            ActionRow(
                product: status.transaction.productID.rawValue, state: texts.word("state", status.state.rawValue),
                links: status.links.map { Link(name: texts.word("link", $0.rawValue), url: $0.url) })
        }
    }
}
