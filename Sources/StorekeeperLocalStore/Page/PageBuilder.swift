import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// Builds the content of a page from the present state of the store and the page's URL.
struct PageBuilder {
    let served: ServedScenario
    let location: PageLocation
    let formToken: String
    let forms: FormBuilder
    /// The first customers; a store may have too many customers to list all of them.
    let accounts: [AccountSummary]
    /// The number of all customers.
    let accountCount: Int
    /// The customer that the location names.
    let customer: AccountSummary?
    let names: ProductNames
    /// The requested customer name if no customer has this name; in this case, the page does not show data of any
    /// customer.
    let stranger: String?
    /// The selected transaction of the view of transactions.
    let selection: TransactionInspection?
    /// The requested transaction id, if no transaction has this id.
    let missing: String?
    /// Whether the store's clock is later than this machine's clock, so that time cannot advance to the present.
    let isAhead: Bool
    /// The mistakes in a form that adds to the catalog.
    var mistakes: CatalogEdit.Mistakes?

    /// The number of rows on one page of a list.
    static let pageSize = 150
    /// The maximum total number of rows in all lists and tables on a page.
    static let mostRows = 300
    /// The number of rows outside of the view, such as steps of the story, lines of notices, and headings.
    private static let frameRows = 30

    /// Creates a builder for the page at a location.
    ///
    /// - Parameters:
    ///   - machineTime: What this machine's clock shows.
    ///   - typed: A refused form; the new page shows the values of its fields again.
    ///   - complaints: The reasons why the form was refused.
    init(
        _ served: ServedScenario, _ location: PageLocation, at machineTime: Instant, formToken: String,
        typed: FormBody? = nil, complaints: [String] = []
    ) {
        self.served = served
        self.formToken = formToken
        isAhead = served.store.now > machineTime
        let apps = served.scenario.apps.map(\.bundleID)
        var location = location
        if let app = location.app, !apps.contains(app) { location.app = nil }
        accounts = served.store.accountSummaries(first: FormBuilder.longestList + 1)
        accountCount = served.store.accountCount
        let customer = location.person.flatMap { name in
            served.store.accountSummary(named: CustomerID(rawValue: name)).flatMap {
                $0.name.rawValue.utf8.elementsEqual(name.utf8) ? $0 : nil
            }
        }
        self.customer = customer
        stranger = customer == nil ? location.person : nil
        let id = location.view == .transactions ? location.selected : nil
        selection = id.flatMap { served.store.inspection(of: Transaction.ID(rawValue: $0)) }
        // After an action, a missing transaction is not reported, because the action may have removed it.
        missing = selection == nil && location.done == nil && location.told == nil ? id : nil
        // The selection is cleared, because every link of the page would select the missing transaction again.
        if id != nil, selection == nil { location.selected = nil }
        self.location = location
        names = ProductNames(of: location.app ?? apps.first ?? "", in: served.store)
        forms = FormBuilder(
            served: served, app: location.app ?? apps.first ?? "", people: accounts.map(\.name), names: names,
            bought: location.bought, typed: typed, complaints: complaints)
    }

    /// Returns a version number, as text, that changes whenever the content of any page may change.
    static func version(of served: ServedScenario) -> String {
        "\(served.number).\(served.store.callCount).\(served.outbox.revision).\(served.recorder.revision)"
    }

    /// Returns the content of the page.
    ///
    /// - Throws: An error of the cryptographic library.
    func content(failure: PageContent.Notice? = nil) throws -> PageContent {
        let store = served.store
        let apps = served.scenario.apps.map(\.bundleID)
        var content = PageContent(
            title: ([customer?.name.rawValue, location.view.title, served.scenario.story] as [String?]).compactMap(
                \.self
            )
            .joined(separator: " – "), story: served.scenario.story,
            environment: served.scenario.environment.rawValue, onlyApp: apps.count == 1 ? apps.first : nil,
            apps: (apps.count > 1 ? apps : []).map { app in
                PageContent.Link(
                    label: app, address: location.with { $0.app = app == apps.first ? nil : app }.address,
                    isCurrent: app == forms.app)
            }, now: Self.clock(store.now), nowISO: store.now.description, coming: coming, isAhead: isAhead,
            jump: forms.typed?.value("word") == "advance to" ? forms.typed?.value("subject") ?? "" : "",
            jumpProblem: forms.typed?.value("word") == "advance to" ? forms.problem(with: "subject") : nil,
            version: Self.version(of: served), formToken: formToken, back: location.with { _ in }.query,
            everyone: PageContent.Link(
                label: "All customers", address: location.about(nil).address, isCurrent: shownPerson == nil),
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
            content.head = customerHead
            (content.present, content.timeline) = try customerContents()
            content.transactions = try transactionsContent()
        case .answers: content.answers = try answersContent()
        case .notifications: content.notifications = try notificationsContent()
        case .story:
            content.book = try storyBook()
            if content.book?.comparison == nil { content.happenings = storyContent() }
        case .store:
            content.settings = storeContent()
            content.catalog = catalogContent()
        case .scenario:
            content.saving = ScenarioContent(
                served, typed: forms.typed?.value("text"), saving: try savingContent())
        }
        return content
    }

    // MARK: The frame

    /// Formats an instant as in `2026-03-01 09:30:00`.
    static func clock(_ instant: Instant) -> String {
        String(instant.toSeconds.dropLast()).replacing("T", with: " ")
    }

    /// The next event, which is an event of the store or an attempt to send a notification.
    private var coming: PageContent.Coming? {
        func coming(_ words: String, _ at: Instant) -> PageContent.Coming {
            PageContent.Coming(
                what: words, time: PageTime.text(at), whole: "\(words), \(PageTime.text(at, at: served.store.now))")
        }
        let event = served.store.scheduledEvent
        if let sending = served.outbox.nextDue, sending < event?.at ?? .distantFuture {
            return coming("Notification to the app's server", sending)
        }
        return event.map { coming($0.words(names), $0.at) }
    }

    /// The customers in the list; if there are very many, the first customers and the selected customer.
    private var shownAccounts: [AccountSummary] {
        guard accounts.count > FormBuilder.longestList else { return accounts }
        let first = accounts.prefix(FormBuilder.longestList)
        return Array(first) + [customer].compactMap(\.self).filter { !first.contains($0) }
    }

    /// The number of rows that remain for the view.
    var room: Int { Self.mostRows - Self.frameRows - shownAccounts.count }

    private var search: PageContent.CustomerSearch? {
        guard accounts.count > FormBuilder.longestList else { return nil }
        return PageContent.CustomerSearch(
            peopleCount: accountCount,
            kept: location.about(nil).fields.map {
                PageActionForm.Hidden(name: $0.name, value: $0.value)
            })
    }

    /// The name of the customer whose data the view shows; the view of answers shows the first customer if no customer
    /// is selected.
    private var shownPerson: String? {
        location.person ?? (location.view == .answers ? accounts.first?.name.rawValue : nil)
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
            address: location.about(account.name.rawValue).address, isCurrent: account.name.rawValue == shownPerson,
            marks: marks)
    }

    /// A message if the URL contains an unknown customer name or transaction id.
    private var strangeness: PageContent.Notice? {
        stranger.map { name in
            PageContent.Notice(heading: "There is no customer '\(name)'.", lines: [PageTexts.chooseCustomer])
        }
            ?? missing.map { id in
                PageContent.Notice(heading: "There is no transaction '\(id)'.", lines: [PageTexts.chooseTransaction])
            }
    }

    /// Links to the first unanswered requests to customers for consent to a higher price.
    private var questions: [PageContent.Link] {
        served.store.openPriceQuestions(limit: 5).map { item in
            PageContent.Link(
                label: "Answer",
                address: location.showing(.transactions).with { $0.selected = item.id.rawValue }.address,
                isCurrent: false,
                detail: "\(item.person) is asked to agree to a higher price of \(names[item.productID]).")
        }
    }

    /// The happenings caused by the last action.
    private var recentHappenings: [Happening] {
        location.done.map { served.store.happenings(after: max(0, $0), limit: 100) } ?? []
    }

    private var happeningLines: [String] {
        let recentHappenings = recentHappenings
        let lines = recentHappenings.prefix(12).map {
            Self.line($0, isTimed: recentHappenings.first?.at != recentHappenings.last?.at)
        }
        return lines
            + (recentHappenings.count > lines.count
                ? ["and \(served.store.happeningCount - max(0, location.done ?? 0) - lines.count) more: see the story"]
                : [])
    }

    /// A message if the App Store refused the last action.
    private var refusal: PageContent.Notice? {
        guard location.done != nil,
            location.refusal != nil || recentHappenings.contains(where: { $0.kind == .purchaseFailed })
        else { return nil }
        let reason = location.refusal.map { ["the reason is \($0)"] } ?? []
        return PageContent.Notice(heading: "The App Store has refused it:", lines: reason + happeningLines)
    }

    /// A message that lists the effects of the last action.
    private var success: PageContent.Notice? {
        guard location.done != nil else { return nil }
        let once = location.isRepeated ? ["the form was sent twice but carried out only once"] : []
        let lines = happeningLines
        return PageContent.Notice(
            heading: lines.isEmpty ? "Done; no event followed." : "Done:", lines: once + lines)
    }

    // MARK: Pages

    /// Returns the links to the other pages of a list with a known number of items.
    ///
    /// - Parameters:
    ///   - page: The number of the page, from 1.
    ///   - count: The number of items on all pages.
    ///   - size: The number of items of a page.
    ///   - number: The property of the location that contains the page number.
    func paging(
        page: Int, of count: Int, size: Int = PageBuilder.pageSize,
        by number: WritableKeyPath<PageLocation, Int> = \.page
    ) -> PageContent.Paging? {
        let last = max(1, (count + size - 1) / size)
        let start = (page - 1) * size
        return paging("\(start + 1) to \(min(count, start + size)) shown", page: page, of: last) { location, other in
            location.restart()
            location[keyPath: number] = other
        }
    }

    /// Returns the links to the other pages of a list; `nil` if the list has only one page.
    ///
    /// - Parameters:
    ///   - span: The part of the list that the page shows, in words.
    ///   - page: The number of the page, from 1.
    ///   - last: The number of the last page.
    ///   - turn: Changes the location to the location of another page.
    func paging(
        _ span: String, page: Int, of last: Int, _ turn: (inout PageLocation, Int) -> Void
    ) -> PageContent.Paging? {
        guard last > 1 else { return nil }
        func links(_ pages: [(String, Int)], where exists: Bool) -> [PageContent.Link] {
            (exists ? pages : []).map { label, other in
                PageContent.Link(label: label, address: location.with { turn(&$0, other) }.address, isCurrent: false)
            }
        }
        return PageContent.Paging(
            span: span, earlier: links([("first", 1), ("previous", page - 1)], where: page > 1),
            later: links([("next", page + 1), ("last", last)], where: page < last))
    }

    private static func line(_ happening: Happening, isTimed: Bool) -> String {
        let person = happening.customer.map { "\($0): " } ?? ""
        return (isTimed ? "\(PageTime.text(happening.at)) " : "") + person
            + happening.words(calling: happening.kind.title)
    }
}
