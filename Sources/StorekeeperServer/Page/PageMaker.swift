import Storekeeper
import StorekeeperSimulator

/// Makes what a page says, of what is served at the moment and what the address asks for.
struct PageMaker {
    let stage: LocalStage
    let location: PageLocation
    let formToken: String
    let forms: ActFormMaker
    let accounts: [AccountSummary]
    let transactions: [TransactionSummary]

    private static let maximumRows = 200

    /// - Parameter typed: A form that was refused, whose fields are filled in as they were.
    init(_ stage: LocalStage, _ location: PageLocation, formToken: String, typed: FormBody? = nil) {
        self.stage = stage
        self.formToken = formToken
        let apps = stage.scenario.apps.map(\.bundleID)
        var location = location
        if let app = location.app, !apps.contains(app) { location.app = nil }
        let accounts = stage.store.accountSummaries
        if let person = location.person, !accounts.contains(where: { $0.name.rawValue == person }) {
            location.person = nil
        }
        self.location = location
        self.accounts = accounts
        transactions = stage.store.transactions
        forms = ActFormMaker(
            stage: stage, app: location.app ?? apps.first ?? "", people: accounts.map(\.name), typed: typed)
    }

    /// What tells one state of all that the page shows from another.
    static func version(of stage: LocalStage) -> String {
        "\(stage.number).\(stage.store.calls.count).\(stage.outbox.attemptCount)"
    }

    private var person: CustomerID? { location.person.map { CustomerID(rawValue: $0) } }
    private var customer: AccountSummary? { accounts.first { $0.name.rawValue == location.person } }

    /// The page.
    ///
    /// - Throws: What the cryptographic library throws.
    func content(failure: PageContent.Notice? = nil) throws -> PageContent {
        let store = stage.store
        let apps = stage.scenario.apps.map(\.bundleID)
        var content = PageContent(
            title: "\(location.view.title) – \(stage.scenario.story)", story: stage.scenario.story,
            environment: stage.scenario.environment.rawValue, onlyApp: apps.count == 1 ? apps.first : nil,
            apps: (apps.count > 1 ? apps : []).map { app in
                PageContent.Link(
                    label: app, address: location.with { $0.app = app == apps.first ? nil : app }.address,
                    isCurrent: app == forms.app)
            }, now: Self.clock(store.now), nowISO: store.now.description, coming: coming,
            jump: forms.typed?.value("word") == "advance to" ? forms.typed?.value("subject") ?? "" : "",
            version: Self.version(of: stage), formToken: formToken, back: location.with { _ in }.query,
            everyone: PageContent.Link(
                label: "Everyone",
                address: location.with { ($0.person, $0.selected, $0.why) = (nil, nil, nil) }.address,
                isCurrent: location.person == nil),
            customers: shownAccounts.map(row), search: search, person: location.person,
            views: PageLocation.View.allCases.map { view in
                PageContent.Link(
                    label: view.title, address: location.showing(view).address, isCurrent: view == location.view)
            })
        content.failure = failure
        content.success = failure == nil ? success : nil
        content.newPerson = Act.named("new person").map { forms.form($0, at: "side") }
        content.suggestions = forms.suggestions
        switch location.view {
        case .transactions: content.transactions = try transactionsContent()
        case .answers: content.answers = try answersContent()
        case .notifications: content.notifications = try notificationsContent()
        case .story: content.happenings = storyContent()
        case .store: content.settings = storeContent()
        case .scenario: content.saving = ScenarioContent(stage, typed: forms.typed?.value("text"))
        }
        return content
    }

    // MARK: The frame

    /// Such as `2026-03-01 09:30:00`.
    static func clock(_ instant: Instant) -> String {
        String(instant.toSeconds.dropLast()).replacing("T", with: " ")
    }

    private var coming: String? {
        [stage.store.nextEvent, stage.outbox.nextDue].compactMap(\.self).min().map { next in
            "\(next.brief) (\(RelativeTime.words(for: next, at: stage.store.now)))"
        }
    }

    /// The customers of the list: of very many the first, and who is chosen.
    private var shownAccounts: [AccountSummary] {
        guard accounts.count > ActFormMaker.longestList else { return accounts }
        let first = accounts.prefix(ActFormMaker.longestList)
        return first + [customer].compactMap(\.self).filter { !first.contains($0) }
    }

    private var search: PageContent.CustomerSearch? {
        guard accounts.count > ActFormMaker.longestList else { return nil }
        return PageContent.CustomerSearch(
            peopleCount: accounts.count,
            kept: location.with { ($0.person, $0.selected, $0.why) = (nil, nil, nil) }.fields.map {
                ActForm.Hidden(name: $0.name, value: $0.value)
            })
    }

    private func row(_ account: AccountSummary) -> PageContent.CustomerRow {
        var marks: [String] = []
        if let family = account.family {
            let others = family.members.filter { $0 != account.name && $0 != family.organizer }.map(\.rawValue)
            let role = family.organizer == account.name ? "organises a family" : "in the family of \(family.organizer)"
            marks.append(others.isEmpty ? role : "\(role) with \(others.joined(separator: ", "))")
            if !family.sharesPurchases { marks.append("shares nothing") }
        }
        if account.paymentsFail { marks.append("payments fail") }
        return PageContent.CustomerRow(
            name: account.name.rawValue,
            address: location.with {
                ($0.person, $0.selected, $0.why) = (account.name.rawValue, nil, nil)
            }.address, isCurrent: account.name.rawValue == location.person, marks: marks)
    }

    /// What the last act has done.
    private var success: PageContent.Notice? {
        guard let before = location.done else { return nil }
        let news = stage.store.happenings(after: max(0, before))
        let lines = news.prefix(12).map { Self.line($0, isTimed: news.first?.at != news.last?.at) }
        let rest = news.count > lines.count ? ["and \(news.count - lines.count) more: see the story"] : []
        return PageContent.Notice(
            heading: news.isEmpty ? "Done; nothing has happened by it." : "Done:", lines: lines + rest)
    }

    private static func line(_ happening: Happening, isTimed: Bool) -> String {
        let person = happening.customer.map { "\($0): " } ?? ""
        return (isTimed ? "\(happening.at.brief) " : "") + person + happening.words
    }

    // MARK: Transactions

    private func transactionsContent() throws -> TransactionsContent {
        let theirs = transactions.filter { person == nil || $0.person == person }
        let found = location.sorted(theirs.filter(location.matches))
        let shown = location.isWhole ? found[...] : found.prefix(Self.maximumRows)
        let others = Act.all(at: .customer).filter {
            $0.word.name != "buy" && (person != nil || $0.subject == .product)
        }
        let acts = accounts.isEmpty ? [] : others.map { forms.form($0, person: person, at: "customer") }
        return TransactionsContent(
            columns: columns, rows: shown.map(row), count: found.count, total: theirs.count,
            isFiltered: location.isFiltered,
            wholeAddress: shown.count < found.count ? location.with { $0.isWhole = true }.address : nil,
            clearAddress: location.with {
                ($0.product, $0.state, $0.from, $0.until) = (nil, nil, nil, nil)
            }.address,
            kept: location.with { ($0.product, $0.state, $0.from, $0.until) = (nil, nil, nil, nil) }.fields.map {
                ActForm.Hidden(name: $0.name, value: $0.value)
            }, product: location.product ?? "", products: Set(transactions.map(\.productID)).sorted().map(\.rawValue),
            states: TransactionSummary.State.allCases.map { state in
                .init(value: state.rawValue, label: state.rawValue, isChosen: state == location.state)
            }, from: location.from ?? "", until: location.until ?? "", complaint: location.complaint,
            buying: accounts.isEmpty ? nil : Act.named("buy").map { forms.form($0, person: person, at: "buy") },
            acts: acts, areActsOpen: acts.contains(where: \.isOpen),
            customer: customer.map { account in
                TransactionsContent.CustomerFacts(
                    name: account.name.rawValue,
                    facts: [
                        Fact(factName: "storefront", factValue: account.storefront),
                        Fact(factName: "payments", factValue: account.paymentsFail ? "fail" : "succeed"),
                        Fact(
                            factName: "family",
                            factValue: account.family.map { $0.members.map(\.rawValue).joined(separator: ", ") }
                                ?? "none"
                        ),
                    ])
            }, inspector: try inspector())
    }

    private var columns: [TransactionsContent.Column] {
        let titles: [(PageLocation.Order, String)] = [
            (.product, "Product"), (.person, "Customer"), (.state, "State"), (.purchased, "Purchased"),
            (.expires, "Expires"), (.id, "Id"),
        ]
        return titles.map { order, title in
            let isCurrent = order == location.order
            let isDate = [.purchased, .expires, .id].contains(order)
            return TransactionsContent.Column(
                name: order.rawValue, columnTitle: title,
                address: location.with {
                    $0.order = order
                    $0.isAscending = isCurrent ? !location.isAscending : !isDate
                }.address, sorting: isCurrent ? (location.isAscending ? "ascending" : "descending") : nil,
                arrow: isCurrent ? (location.isAscending ? "▲" : "▼") : "")
        }
    }

    private func row(_ item: TransactionSummary) -> TransactionsContent.Row {
        var notes: [String] = []
        if item.quantity != 1 { notes.append("× \(item.quantity)") }
        if item.isFamilyShared { notes.append("family") }
        if item.isRenewal { notes.append("renewal") }
        if item.isRefundRequested { notes.append("refund asked for") }
        return TransactionsContent.Row(
            id: item.id.rawValue,
            shortID: item.id.rawValue.count > 6 ? "…\(item.id.rawValue.suffix(5))" : item.id.rawValue,
            address: location.with { $0.selected = item.id.rawValue }.address,
            isSelected: item.id.rawValue == location.selected, product: item.productID.rawValue,
            customer: item.person.rawValue, stateWord: item.state.rawValue, mark: item.state.mark,
            purchased: item.purchasedAt?.brief ?? "–", expires: item.expiresAt?.brief ?? "–", notes: notes)
    }

    private func inspector() throws -> InspectorContent? {
        guard let selected = location.selected,
            let found = stage.store.inspection(of: Transaction.ID(rawValue: selected))
        else { return nil }
        let item = found.transaction
        let all = Act.all(at: .purchase)
        let isRunning = found.subscription != nil && [.purchased, .grace, .retry].contains(item.state)
        let near =
            all.filter { $0.isNear(item, willRenew: isRunning ? found.subscription?.willRenew : nil) }
            + (isRunning && !item.isFamilyShared
                ? ["force renewal", "expire"].compactMap(Act.named) : [])
        let signed = try stage.store.lastSigned(item.id)
        let acts = all.map { forms.form($0, person: item.person, item: item, at: "inspector") }
        return InspectorContent(
            id: item.id.rawValue, stateWord: item.state.rawValue, mark: item.state.mark,
            product: item.productID.rawValue,
            facts: found.rows.map { Fact(factName: $0.name, factValue: $0.value) },
            near: near.map { forms.form($0, person: item.person, item: item, at: "near") }.filter(\.isPlain),
            acts: acts, areActsOpen: acts.contains(where: \.isOpen),
            payloads: [
                signed.map {
                    PayloadContent("Signed transaction", id: "transaction", jws: $0.transaction, isOpen: true)
                },
                signed?.renewalInfo.map { PayloadContent("Signed renewal info", id: "renewal", jws: $0) },
            ].compactMap(\.self), closeAddress: location.with { $0.selected = nil }.address,
            answersAddress: location.showing(.answers).with {
                ($0.person, $0.why) = (item.person.rawValue, item.productID.rawValue)
                $0.app = stage.scenario.apps.first?.bundleID == item.app ? nil : item.app
            }.address)
    }
}
