import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// Builds the content of a page from the present state and the address.
struct PageBuilder {
    let served: ServedScenario
    let location: PageLocation
    let formToken: String
    let forms: FormBuilder
    let accounts: [AccountSummary]
    let transactions: [TransactionSummary]
    /// The requested name, if no customer has it; nothing is shown then, in particular no other customer.
    let stranger: String?

    /// The number of rows of a page of a list.
    static let pageSize = 200

    /// - Parameter typed: A refused form, whose fields keep their values.
    init(_ served: ServedScenario, _ location: PageLocation, formToken: String, typed: FormBody? = nil) {
        self.served = served
        self.formToken = formToken
        let apps = served.scenario.apps.map(\.bundleID)
        var location = location
        if let app = location.app, !apps.contains(app) { location.app = nil }
        let accounts = served.store.accountSummaries
        stranger = location.person.flatMap { name in
            accounts.contains { $0.name.rawValue.utf8.elementsEqual(name.utf8) } ? nil : name
        }
        self.location = location
        self.accounts = accounts
        transactions = served.store.transactions
        forms = FormBuilder(
            served: served, app: location.app ?? apps.first ?? "", people: accounts.map(\.name), typed: typed)
    }

    /// Returns a version that changes whenever the content of any page may change.
    static func version(of served: ServedScenario) -> String {
        "\(served.number).\(served.store.callCount).\(served.outbox.attemptCount).\(served.recorder.revision)"
    }

    private var person: CustomerID? { location.person.map { CustomerID(rawValue: $0) } }
    private var customer: AccountSummary? { accounts.first { $0.name.rawValue == location.person } }

    /// Returns the content of the page.
    ///
    /// - Throws: An error of the cryptographic library.
    func content(failure: PageContent.Notice? = nil) throws -> PageContent {
        let store = served.store
        let apps = served.scenario.apps.map(\.bundleID)
        var content = PageContent(
            title: "\(location.view.title) – \(served.scenario.story)", story: served.scenario.story,
            environment: served.scenario.environment.rawValue, onlyApp: apps.count == 1 ? apps.first : nil,
            apps: (apps.count > 1 ? apps : []).map { app in
                PageContent.Link(
                    label: app, address: location.with { $0.app = app == apps.first ? nil : app }.address,
                    isCurrent: app == forms.app)
            }, now: Self.clock(store.now), nowISO: store.now.description, coming: coming,
            jump: forms.typed?.value("word") == "advance to" ? forms.typed?.value("subject") ?? "" : "",
            version: Self.version(of: served), formToken: formToken, back: location.with { _ in }.query,
            everyone: PageContent.Link(
                label: "Everyone",
                address: location.with { ($0.person, $0.selected, $0.why, $0.page) = (nil, nil, nil, 1) }.address,
                isCurrent: location.person == nil),
            customers: shownAccounts.map(row), search: search, person: location.person,
            stranger: stranger, questions: questions,
            views: PageLocation.View.allCases.map { view in
                PageContent.Link(
                    label: view.title, address: location.showing(view).address, isCurrent: view == location.view)
            })
        content.failure = failure ?? strangeness ?? refusal
        content.success = content.failure == nil ? success ?? storyNotice : nil
        if location.view != .story { content.side = storySide() }
        content.newPerson = PageAction.named("new person").map { forms.form($0, at: "side") }
        content.suggestions = forms.suggestions
        switch location.view {
        case .transactions:
            content.timeline = try timelineContent()
            content.transactions = try transactionsContent()
        case .answers: content.answers = try answersContent()
        case .notifications: content.notifications = try notificationsContent()
        case .story:
            content.book = try storyBook()
            if content.book?.comparison == nil { content.happenings = storyContent() }
        case .store: content.settings = storeContent()
        case .scenario:
            content.saving = ScenarioContent(
                served, typed: forms.typed?.value("text"), saving: try savingContent())
        }
        return content
    }

    // MARK: The frame

    /// Formats an instant, such as `2026-03-01 09:30:00`.
    static func clock(_ instant: Instant) -> String {
        String(instant.toSeconds.dropLast()).replacing("T", with: " ")
    }

    private var coming: String? {
        [served.store.nextEvent, served.outbox.nextDue].compactMap(\.self).min().map { next in
            "\(next.brief) (\(RelativeTime.words(for: next, at: served.store.now)))"
        }
    }

    /// The customers in the list: if there are very many, the first ones and the selected one.
    private var shownAccounts: [AccountSummary] {
        guard accounts.count > FormBuilder.longestList else { return accounts }
        let first = accounts.prefix(FormBuilder.longestList)
        return first + [customer].compactMap(\.self).filter { !first.contains($0) }
    }

    private var search: PageContent.CustomerSearch? {
        guard accounts.count > FormBuilder.longestList else { return nil }
        return PageContent.CustomerSearch(
            peopleCount: accounts.count,
            kept: location.with { ($0.person, $0.selected, $0.why, $0.page) = (nil, nil, nil, 1) }.fields.map {
                PageActionForm.Hidden(name: $0.name, value: $0.value)
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
                ($0.person, $0.selected, $0.why, $0.page) = (account.name.rawValue, nil, nil, 1)
            }.address, isCurrent: account.name.rawValue == location.person, marks: marks)
    }

    /// A message for an unknown customer name.
    private var strangeness: PageContent.Notice? {
        stranger.map { name in
            PageContent.Notice(heading: "There is no customer '\(name)'.", lines: ["choose a customer on the left"])
        }
    }

    /// The first of the unanswered questions to customers.
    private var questions: [PageContent.Link] {
        transactions.lazy.filter(\.awaitsPriceConsent).prefix(5).map { item in
            PageContent.Link(
                label: "Answer",
                address: location.showing(.transactions).with { $0.selected = item.id.rawValue }.address,
                isCurrent: false, detail: "\(item.person) is asked to agree to a higher price of \(item.productID).")
        }
    }

    /// The happenings caused by the last action.
    private var recentHappenings: [Happening] { location.done.map { served.store.happenings(after: max(0, $0)) } ?? [] }

    private var happeningLines: [String] {
        let recentHappenings = recentHappenings
        let lines = recentHappenings.prefix(12).map {
            Self.line($0, isTimed: recentHappenings.first?.at != recentHappenings.last?.at)
        }
        return lines
            + (recentHappenings.count > lines.count
                ? ["and \(recentHappenings.count - lines.count) more: see the story"] : [])
    }

    /// A message if the App Store refused the last action.
    private var refusal: PageContent.Notice? {
        guard location.done != nil,
            location.refusal != nil || recentHappenings.contains(where: { $0.kind == .purchaseFailed })
        else { return nil }
        let reason = location.refusal.map { ["the reason is \($0)"] } ?? []
        return PageContent.Notice(heading: "The App Store has refused it:", lines: reason + happeningLines)
    }

    /// A message about the effects of the last action.
    private var success: PageContent.Notice? {
        guard location.done != nil else { return nil }
        let once = location.isRepeated ? ["the form was sent twice but carried out only once"] : []
        let lines = happeningLines
        return PageContent.Notice(
            heading: lines.isEmpty ? "Done; this had no effect." : "Done:", lines: once + lines)
    }

    // MARK: Pages

    /// Returns the displayed part of a long list, with links to the other parts.
    ///
    /// - Parameters:
    ///   - size: The number of rows of a page.
    ///   - number: The number of the page in the address.
    func page<Item>(
        of items: [Item], size: Int = PageBuilder.pageSize, by number: WritableKeyPath<PageLocation, Int> = \.page
    ) -> (items: ArraySlice<Item>, paging: PageContent.Paging?) {
        let last = max(1, (items.count + size - 1) / size)
        let page = min(location[keyPath: number], last)
        let start = (page - 1) * size
        let shown = items[start..<min(items.count, start + size)]
        guard last > 1 else { return (shown, nil) }
        func links(_ pages: [(String, Int)], where exists: Bool) -> [PageContent.Link] {
            (exists ? pages : []).map { label, other in
                PageContent.Link(
                    label: label, address: location.with { $0[keyPath: number] = other }.address, isCurrent: false)
            }
        }
        return (
            shown,
            PageContent.Paging(
                first: start + 1, last: start + shown.count,
                earlier: links([("first", 1), ("previous", page - 1)], where: page > 1),
                later: links([("next", page + 1), ("last", last)], where: page < last))
        )
    }

    private static func line(_ happening: Happening, isTimed: Bool) -> String {
        let person = happening.customer.map { "\($0): " } ?? ""
        return (isTimed ? "\(happening.at.brief) " : "") + person + happening.words
    }

    // MARK: Transactions

    private func transactionsContent() throws -> TransactionsContent {
        let theirs = transactions.filter { person == nil || $0.person == person }
        let found = location.sorted(theirs.filter(location.matches))
        let (shown, paging) = page(of: found)
        let others = PageAction.all(at: .customer).filter {
            $0.word.name != "buy" && (person != nil || $0.subject == .product)
        }
        let acts =
            accounts.isEmpty || stranger != nil ? [] : others.map { forms.form($0, person: person, at: "customer") }
        return TransactionsContent(
            columns: columns, rows: shown.map(row), count: found.count, total: theirs.count,
            isFiltered: location.isFiltered, paging: paging, clearAddress: location.with(Self.unfilter).address,
            kept: location.with(Self.unfilter).fields.map { PageActionForm.Hidden(name: $0.name, value: $0.value) },
            product: location.product ?? "", products: Set(transactions.map(\.productID)).sorted().map(\.rawValue),
            states: TransactionSummary.State.allCases.map { state in
                .init(value: state.rawValue, label: state.rawValue, isChosen: state == location.state)
            }, from: location.from ?? "", until: location.until ?? "", complaint: location.complaint,
            buying: accounts.isEmpty || stranger != nil
                ? nil : PageAction.named("buy").map { forms.form($0, person: person, at: "buy") },
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

    private static func unfilter(_ location: inout PageLocation) {
        (location.product, location.state, location.from, location.until, location.page) = (nil, nil, nil, nil, 1)
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
                    ($0.order, $0.page) = (order, 1)
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
        if item.isRefundRequested { notes.append("refund requested") }
        if item.awaitsPriceConsent { notes.append("asked to agree to a higher price") }
        return TransactionsContent.Row(
            id: item.id.rawValue,
            shortID: item.id.rawValue.count > 6 ? "…\(item.id.rawValue.suffix(5))" : item.id.rawValue,
            address: location.with { $0.selected = item.id.rawValue }.address,
            isSelected: item.id.rawValue == location.selected, product: item.productID.rawValue,
            customer: item.person.rawValue, stateWord: item.state.rawValue, mark: item.state.mark,
            purchased: item.purchasedAt?.brief ?? "requested \(item.begunAt.brief)",
            expires: item.expiresAt?.brief ?? "–",
            notes: notes, consents: item.awaitsPriceConsent ? forms.consentForms(of: item, at: "row") : [])
    }

    private func inspector() throws -> InspectorContent? {
        guard let selected = location.selected,
            let found = served.store.inspection(of: Transaction.ID(rawValue: selected))
        else { return nil }
        let item = found.transaction
        let isRunning = found.subscription != nil && [.purchased, .grace, .retry].contains(item.state)
        let signed = try served.store.lastSigned(item.id)
        let acts = PageAction.all(at: .purchase).map {
            forms.form($0, person: item.person, item: item, at: "inspector")
        }
        return InspectorContent(
            id: item.id.rawValue, stateWord: item.state.rawValue, mark: item.state.mark,
            product: item.productID.rawValue,
            facts: found.rows.map { Fact(factName: $0.name, factValue: $0.value) },
            near: forms.inlineForms(of: item, willRenew: isRunning ? found.subscription?.willRenew : nil),
            acts: acts, areActsOpen: acts.contains(where: \.isOpen),
            payloads: [
                signed.map {
                    PayloadContent("Signed transaction", id: "transaction", jws: $0.transaction, isOpen: true)
                },
                signed?.renewalInfo.map { PayloadContent("Signed renewal info", id: "renewal", jws: $0) },
            ].compactMap(\.self), closeAddress: location.with { $0.selected = nil }.address,
            answersAddress: location.showing(.answers).with {
                ($0.person, $0.why) = (item.person.rawValue, item.productID.rawValue)
                $0.app = served.scenario.apps.first?.bundleID == item.app ? nil : item.app
            }.address)
    }
}
