import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// The contents of the view of transactions.
extension PageBuilder {
    private var person: CustomerID? { customer?.name }

    /// Returns the content of the view of transactions.
    ///
    /// - Throws: An error of the cryptographic library.
    func transactionsContent() throws -> TransactionsContent {
        var query = location.transactionQuery
        query.rowLimit = room
        // For an unknown customer, the table is empty, so that it never shows the transactions of another customer.
        if stranger != nil { query.customer = nil }
        let listing = stranger == nil ? served.store.listing(query) : nil
        let others = PageAction.all(at: .customer).filter { act in
            guard let customer else { return act.word.name != "buy" && act.subject.isProduct }
            return act.word.name != "buy" && !act.isOneClick && act.form.isPossible(customer)
        }
        let canAct = !accounts.isEmpty && stranger == nil
        let acts = canAct ? others.map { forms.form($0, person: person, at: "customer") } : []
        let rows = listing?.rows.map(lines) ?? []
        return TransactionsContent(
            columns: columns, rows: rows.flatMap(\.self),
            summary: summary(of: listing), isFiltered: location.isFiltered,
            paging: listing.flatMap { paging(page: $0.page, of: $0.counts.rows) },
            clearAddress: location.with(Self.unfilter).address,
            kept: location.with(Self.unfilter).fields.map { PageActionForm.Hidden(name: $0.name, value: $0.value) },
            find: location.find ?? "", findWords: findWords, isFilteredExactly: location.isFilteredExactly,
            product: location.product ?? "",
            states: TransactionSummary.State.allCases.map { state in
                .init(value: state.rawValue, label: state.rawValue, isChosen: state == location.state)
            }, from: location.from ?? "", until: location.until ?? "",
            fromComplaint: PageLocation.complaint(about: location.from),
            untilComplaint: PageLocation.complaint(about: location.until),
            refoldAddress: location.with {
                $0.isUnfolded.toggle()
                $0.restart()
            }.address, isUnfolded: location.isUnfolded,
            buying: canAct ? PageAction.named("buy").map { forms.form($0, person: person, at: "buy") } : nil,
            acts: acts, areActsOpen: acts.contains(where: \.isOpen), inspector: try inspector())
    }

    /// The head of the view about the selected customer; `nil` if no customer is selected.
    var customerHead: PageContent.CustomerHead? {
        customer.map { account in
            PageContent.CustomerHead(
                owner: account.name.rawValue,
                facts: [
                    Fact(factName: "storefront", factValue: account.storefront),
                    Fact(
                        factName: "family",
                        factValue: account.family.map { $0.members.map(\.rawValue).joined(separator: ", ") } ?? "none"
                    ),
                ], payments: forms.paymentSwitch(of: account), oneClick: forms.oneClickForms(of: account))
        }
    }

    private static func unfilter(_ location: inout PageLocation) {
        (location.find, location.product, location.state, location.from, location.until) = (nil, nil, nil, nil, nil)
        location.restart()
    }

    /// Returns the size of the table in words: `23 of 145 transactions, in 4 rows`.
    private func summary(of listing: TransactionListing?) -> String {
        guard let listing else { return "0 transactions" }
        let counts = listing.counts
        let among = location.isFiltered ? " of \(listing.total)" : ""
        let rows = counts.rows == counts.transactions ? "" : ", in \(PageTexts.count(counts.rows, "row"))"
        let noun = counts.transactions == 1 && !location.isFiltered ? "transaction" : "transactions"
        return "\(counts.transactions)\(among) \(noun)\(rows)"
    }

    /// The suggestions for the search field.
    private var findWords: [String] {
        let products = names.catalog.products.prefix(60)
        var words: [String] = []
        var seen: Set<String> = []
        for word in products.map({ names[$0.id] }) + products.map(\.id.rawValue)
            + TransactionSummary.State.allCases.map(\.rawValue)
            + accounts.prefix(FormBuilder.longestList).map(\.name.rawValue)
        where seen.insert(word).inserted { words.append(word) }
        return words
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
                columnAddress: location.with {
                    $0.order = order
                    $0.restart()
                    $0.isAscending = isCurrent ? !location.isAscending : !isDate
                }.address,
                sorting: isCurrent ? (location.isAscending ? "ascending" : "descending") : nil,
                arrow: isCurrent ? (location.isAscending ? "▲" : "▼") : "")
        }
    }

    // MARK: Rows

    /// Returns the table row of a purchase, followed by the rows of its earlier periods if the user has opened the row.
    private func lines(_ row: TransactionListing.Row) -> [TransactionsContent.Row] {
        let id = row.newest.transaction.id.rawValue
        var first = line(row.newest)
        first.fold = fold(of: row)
        let isOpen = location.opened.contains(id)
        first.foldIsOpen = isOpen
        if row.periods > 1 {
            first.foldAddress =
                location.with {
                    if isOpen { $0.opened.removeAll { $0 == id } } else { $0.opened.append(id) }
                }.address
        }
        if row.refunded > 0, row.periods > 1 {
            first.marks.append(.init("\(PageTexts.count(row.refunded, "period")) refunded", .bad))
        }
        first.consents =
            row.newest.transaction.awaitsPriceConsent
            ? forms.consentForms(of: row.newest.transaction, at: "row") : []
        var lines = [first]
        for earlier in row.earlier {
            var line = line(earlier)
            line.isEarlier = true
            lines.append(line)
        }
        let missing = row.periods - 1 - row.earlier.count
        if isOpen, missing > 0 {
            lines[lines.count - 1].remainder = PageContent.Link(
                label: "\(PageTexts.count(missing, "earlier period")) more",
                address: location.with {
                    $0.restart()
                    $0.person = row.newest.transaction.person.rawValue
                    $0.product = row.newest.transaction.productID.rawValue
                    $0.find = row.newest.transaction.originalID?.rawValue
                    $0.isUnfolded = true
                }.address, isCurrent: false)
        }
        return lines
    }

    /// Returns the number of periods and the next renewal or end: `14 periods, next on 2026-02-01`.
    private func fold(of row: TransactionListing.Row) -> String? {
        let item = row.newest.transaction
        guard let end = item.expiresAt, row.newest.subscription != nil || row.periods > 1 else { return nil }
        let periods = PageTexts.count(row.periods, "period")
        switch (item.state, row.newest.subscription?.willRenew) {
        case (.purchased, true?): return "\(periods), next on \(PageTime.text(end))"
        case (.purchased, false?): return "\(periods), ends on \(PageTime.text(end))"
        default: return row.begunAt.map { "\(periods) since \(PageTime.text($0))" } ?? periods
        }
    }

    private func line(_ details: TransactionInspection) -> TransactionsContent.Row {
        let item = details.transaction
        let now = served.store.now
        return TransactionsContent.Row(
            id: item.id.rawValue,
            shortID: item.id.rawValue.count > 6 ? "…\(item.id.rawValue.suffix(5))" : item.id.rawValue,
            rowAddress: location.with { $0.selected = item.id.rawValue }.address,
            isSelected: item.id.rawValue == location.selected, productName: names[item.productID],
            productID: names.secondary(item.productID), price: details.price.map { names.price($0, details.currency) },
            customerName: item.person.rawValue, stateWord: item.state.rawValue, mark: item.state.mark,
            sentence: item.state.sentence,
            purchased: item.purchasedAt.map { PageTime.text($0) } ?? "requested \(PageTime.text(item.begunAt))",
            purchasedAgo: RelativeTime.words(for: item.purchasedAt ?? item.begunAt, at: now),
            expires: item.expiresAt.map { PageTime.text($0) } ?? "–",
            expiresIn: item.expiresAt.map { RelativeTime.words(for: $0, at: now) }, marks: marks(of: details),
            question: item.awaitsPriceConsent ? question(about: details) : nil)
    }

    /// Returns, in words, the properties by which a transaction differs from an ordinary purchase.
    func marks(of details: TransactionInspection) -> [TransactionsContent.Mark] {
        let item = details.transaction
        let isRunning = [.purchased, .grace, .retry].contains(item.state)
        var marks: [TransactionsContent.Mark] = []
        func add(_ text: String, _ tone: TransactionsContent.Mark.Tone = .plain) { marks.append(.init(text, tone)) }
        if item.quantity != 1 { add("× \(item.quantity)") }
        if item.isFamilyShared { add("Family-shared") }
        if let offer = details.offer { add(offer.tableWords, .waiting) }
        if let payment = details.subscription?.commitmentPayment { add("Payment \(payment.number) of \(payment.of)") }
        if let end = details.subscription?.graceEndsAt { add("Grace period until \(PageTime.text(end))", .warn) }
        if let end = details.subscription?.retryEndsAt { add("Payment is retried until \(PageTime.text(end))", .bad) }
        if isRunning, let subscription = details.subscription {
            if !subscription.willRenew {
                add("Will not renew", .warn)
            } else if subscription.nextProductID != item.productID {
                let day = item.expiresAt.map { " on \(PageTime.text($0))" } ?? ""
                add("Changes to \(names[subscription.nextProductID])\(day)", .waiting)
            }
            if subscription.priceConsent == "agreed", let price = subscription.increasedPrice {
                add("Agreed to \(names.price(price, details.currency))")
            }
        }
        if item.isRefundRequested { add("Refund requested", .waiting) }
        if let share = details.revocationPercentage, share < 100_000 {
            add("\(Percentage.text(Int64(share))) of the price refunded", .bad)
        }
        return marks
    }

    private func question(about details: TransactionInspection) -> String {
        let price = details.subscription?.increasedPrice.map { names.price($0, details.currency) } ?? "a higher price"
        let day = details.transaction.expiresAt.map { " from \(PageTime.text($0)) on" } ?? ""
        return "Asked to agree to \(price)\(day):"
    }

    // MARK: The inspector

    private func inspector() throws -> InspectorContent? {
        guard let found = selection else { return nil }
        let item = found.transaction
        let isRunning = found.subscription != nil && [.purchased, .grace, .retry].contains(item.state)
        let signed = try served.store.lastSigned(item.id)
        let willRenew = isRunning ? found.subscription?.willRenew : nil
        let acts = PageAction.all(at: .purchase).filter { $0.form.isPossibleForPurchase(found, willRenew) }.map {
            forms.form($0, person: item.person, item: item, at: "inspector")
        }
        return InspectorContent(
            id: item.id.rawValue, stateWord: item.state.rawValue, mark: item.state.mark,
            sentence: item.state.sentence, product: names[item.productID],
            secondaryID: names.secondary(item.productID),
            facts: found.rows(
                time: { PageTime.text($0) }, money: { $0.map { names.price($0, found.currency) } }
            ).map { Fact(factName: PageTexts.factNames[$0.name] ?? $0.name, factValue: $0.value) },
            places: places(of: found),
            near: forms.inlineForms(of: found, willRenew: willRenew),
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

    /// Returns the links from a transaction to its product, group and offer in the catalog.
    private func places(of details: TransactionInspection) -> [PageContent.Link] {
        let item = details.transaction
        let app = served.scenario.apps.first?.bundleID == item.app ? nil : item.app
        func link(_ label: String, to anchor: String) -> PageContent.Link {
            PageContent.Link(
                label: label,
                address: location.showing(.store).with {
                    ($0.item, $0.app) = (item.productID.rawValue, app)
                }.address + "#\(anchor)", isCurrent: false)
        }
        let catalog = (try? served.store.catalog(of: item.app)) ?? .empty
        guard let index = catalog.products.firstIndex(where: { $0.id == item.productID }) else { return [] }
        var links = [link("product \(names[item.productID])", to: CatalogContent.anchor(ofProduct: index))]
        if let group = catalog.group(containing: item.productID),
            let place = catalog.groups.firstIndex(where: { $0.id == group.id })
        {
            links.append(link("group \(group.name ?? "without a name")", to: CatalogContent.anchor(ofGroup: place)))
        }
        if let offer = details.offer,
            let place = catalog.products[index].offers.firstIndex(where: {
                $0.kind == offer.kind && (offer.kind == .introductory || $0.id == offer.id)
            })
        {
            links.append(
                link(
                    "offer \(offer.id?.rawValue ?? "introductory")",
                    to: CatalogContent.anchor(ofOffer: place, of: index)))
        }
        return links
    }
}
