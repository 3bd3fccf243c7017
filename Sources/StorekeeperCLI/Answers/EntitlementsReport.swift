import Storekeeper

/// All answers about a customer at an instant, as `entitlements` prints them.
struct EntitlementsReport {
    let inquiry: AnswersQuery
    /// The answers to list, such as `entitled`; `nil` lists products with any answer.
    let only: Set<String>?

    private var resolution: Resolution { inquiry.resolution }
    private var at: Instant { inquiry.at }

    /// The products to list.
    var products: [ProductTimeline] {
        resolution.products.filter { only?.contains($0.timeline.value(at: at).word) ?? true }
    }

    /// The JSON document.
    var json: JSONText {
        CustomerAnswers(
            resolution, at: at, isVerified: inquiry.isVerified, nextChange: inquiry.nextChange,
            balances: inquiry.balances.map(\.json), diagnostics: inquiry.diagnostics,
            where: { only?.contains($0.word) ?? true },
            product: { CustomerAnswers.Answer($0, at: at) }, feature: { CustomerAnswers.Answer($0, at: at) }
        ).json
    }
}

extension EntitlementsReport {
    /// Returns the answers as text.
    ///
    /// - Parameter width: The maximum number of columns of a line; `nil` means no limit.
    func lines(_ style: TerminalStyle, width: Int?) -> [String] {
        var sections = [heading(style, width: width)]
        let neverBought = neverBought
        let products = productTable(without: Set(neverBought))
        if let absence = inquiry.absence {
            sections.append(absence.wrapped(to: width))
        } else if inquiry.isEmpty {
            sections.append(
                ("There is no evidence, so no purchases are known. If this is unexpected, fetch the "
                    + "customer's transaction history again.").wrapped(to: width))
        } else if products.isEmpty, neverBought.isEmpty {
            sections.append(
                (inquiry.resolution.products.isEmpty
                    ? "No product is known. Name the catalog with --catalog FILE, or give evidence that holds purchases."
                    : "No product has that answer. Leave out --only to see all \(inquiry.resolution.products.count).")
                    .wrapped(to: width))
        } else if !products.isEmpty {
            sections.append(
                products.lines(style, width: width, painting: 1) { text, word in style.painted(text, answer: word) })
        }
        if !neverBought.isEmpty {
            let line = "Never bought: \(neverBought.map(\.rawValue).joined(separator: ", ")).".onOneLine
            sections.append(line.wrapped(to: width).map(style.dim))
        }
        for table in [groupTable, featureTable, balanceTable] where !table.isEmpty {
            sections.append(
                table.lines(style, width: width, painting: 1) { text, word in style.painted(text, answer: word) })
        }
        return Array(sections.joined(separator: [""]))
    }

    private func heading(_ style: TerminalStyle, width: Int?) -> [String] {
        let next = inquiry.nextChange.map { RelativeTime.text($0, at: inquiry.at) } ?? "none known"
        return inquiry.proofLines(style, width: width) + "Next change: \(next).".wrapped(to: width)
    }

    private func productTable(without neverBought: Set<Product.ID>) -> TextTable {
        var table = TextTable("PRODUCT", "ANSWER", "REASON", "SINCE", "UNTIL", "TRANSACTION", "HOW")
        var isOrdinary = true
        for product in products where !neverBought.contains(product.id) {
            let answer = product.timeline.value(at: inquiry.at)
            let run = product.timeline.run(at: inquiry.at)
            let transaction = answer.basis?.transaction
            if let transaction, !briefly(transaction).isEmpty { isOrdinary = false }
            table.add([
                .text(product.id.rawValue), .text(answer.word), .text(answer.reasonWord), .time(run.from),
                .time(run.to, at: inquiry.at), .text(transaction?.id.rawValue),
                transaction.map { .forms([acquisition($0) + also(product.id), briefly($0)]) } ?? .text(nil),
            ])
        }
        table.widthReductions = [
            .shorten("SINCE"), .shorten("UNTIL"), .shorten("UNTIL"), .drop("TRANSACTION"), .shorten("SINCE"),
            .shorten("UNTIL"), isOrdinary ? .drop("HOW") : .shorten("HOW"), .shorten("SINCE"), .drop("SINCE"),
            .shorten("UNTIL"), .drop("HOW"),
        ]
        return table
    }

    /// The products that were never bought, which the text lists in one sentence below the table.
    ///
    /// With `--only` the list is empty, because the table then contains every product with a requested answer.
    private var neverBought: [Product.ID] {
        guard only == nil else { return [] }
        return products.filter { product in
            if case .never = product.timeline.value(at: inquiry.at) { true } else { false }
        }.map(\.id)
    }

    /// Returns how the customer got the product of a transaction, and the environment unless it is production.
    private func acquisition(_ transaction: Transaction) -> String {
        let environment = transaction.environment == .production ? "" : " in \(transaction.environment.rawValue)"
        return transaction.ownershipType.word + environment + (transaction.offer.map { ", \($0.words)" } ?? "")
    }

    /// Returns the text about access that is granted without a purchase, such as `, granted until 2026-03-15`; empty
    /// without a grant.
    private func also(_ id: Product.ID) -> String {
        inquiry.resolution.grant(ofProduct: id, at: inquiry.at).map { ", granted until \($0.endsAt.brief)" } ?? ""
    }

    /// Returns how the customer got the product of a transaction, in short words for narrow tables.
    ///
    /// The text is empty for the customer's own purchase in production.
    private func briefly(_ transaction: Transaction) -> String {
        let owner: String? =
            switch transaction.ownershipType {
            case .purchased: nil
            case .familyShared: "family"
            default: transaction.ownershipType.word
            }
        let ways = [
            owner,
            transaction.environment == .production ? nil : transaction.environment.rawValue,
            transaction.offer.map { $0.isFreeTrial ? "free trial" : "offer" },
        ]
        return ways.compactMap(\.self).joined(separator: ", ")
    }

    private var groupTable: TextTable {
        var table = TextTable("GROUP", "STATE", "PRODUCT", "LEVEL", "PERIOD ENDS", "THEN", "HOW")
        var isOrdinary = true
        for timeline in inquiry.resolution.groups {
            for status in timeline.statuses(at: inquiry.at) {
                if !briefly(status.transaction).isEmpty { isOrdinary = false }
                table.add([
                    .text(timeline.group.name ?? timeline.group.id.rawValue), .text(status.state.rawValue),
                    .text(status.transaction.productID.rawValue), .text(status.groupLevel.map(String.init)),
                    .time(status.transaction.expiresAt, at: inquiry.at), nextPeriodText(of: status, in: timeline),
                    .forms([acquisition(status.transaction), briefly(status.transaction)]),
                ])
            }
        }
        table.widthReductions = [
            .shorten("PERIOD ENDS"), .shorten("THEN"), .shorten("PERIOD ENDS"), .shorten("THEN"),
            isOrdinary ? .drop("HOW") : .shorten("HOW"), .shorten("PERIOD ENDS"), .shorten("THEN"),
            .shorten("PERIOD ENDS"), .shorten("THEN"), .drop("LEVEL"), .drop("HOW"), .drop("PRODUCT"),
            .drop("PERIOD ENDS"),
        ]
        return table
    }

    /// Returns the table cell that tells what is due next.
    private func nextPeriodText(of status: SubscriptionStatus, in group: GroupTimeline) -> TextTable.Cell {
        guard let due = group.upcoming(of: status, at: inquiry.at) else {
            return .text(status.expirationReason == .unknown ? nil : status.expirationReason?.words)
        }
        switch due.event {
        case .gracePeriodEnd: return .time(due.at, at: inquiry.at, after: ["grace until "])
        case .billingRetryEnd:
            return .time(due.at, at: inquiry.at, after: ["billing is retried until ", "retry until "])
        case .renewal, .planChange:
            return .forms([due.brief + (due.priceText.map { " for \($0)" } ?? ""), due.brief])
        case .consent:
            let price = due.priceText.map { " to \($0)" } ?? ""
            return .forms(["asks for consent\(price), ends without it", due.brief])
        case .periodEnd: return .text(nil)
        default: return .text(due.brief)
        }
    }

    private var featureTable: TextTable {
        var table = TextTable("FEATURE", "ANSWER", "REASON", "BY", "UNTIL")
        for feature in inquiry.resolution.features {
            let answer = feature.timeline.value(at: inquiry.at)
            table.add([
                .text(feature.id.rawValue), .text(answer.answer.word), .text(answer.answer.reasonWord),
                .text(answer.productID?.rawValue),
                .time(feature.timeline.run(at: inquiry.at).to, at: inquiry.at),
            ])
        }
        table.widthReductions = [
            .shorten("UNTIL"), .shorten("UNTIL"), .shorten("UNTIL"), .shorten("UNTIL"), .drop("BY"),
        ]
        return table
    }

    private var balanceTable: TextTable {
        guard inquiry.isFromVault else {
            var table = TextTable("BALANCE", "UNITS", "BOUGHT", "TAKEN BACK")
            for balance in inquiry.balances {
                table.add(
                    balance.id.rawValue, String(balance.amount), String(balance.credited), String(balance.clawedBack))
            }
            return table
        }
        var table = TextTable("BALANCE", "UNITS", "CREDITED", "SPENT", "TAKEN BACK", "RESTORED")
        for balance in inquiry.balances {
            table.add(
                balance.id.rawValue, String(balance.amount), String(balance.credited), String(balance.spent),
                String(balance.clawedBack), String(balance.restored))
        }
        return table
    }
}

extension TerminalStyle {
    /// Returns a text in the color of an answer or state: green for access, yellow for access that is uncertain or may
    /// end soon, red for lost access.
    func painted(_ text: String, answer word: String) -> String {
        switch word {
        case "entitled", "subscribed": green(text)
        case "pending", "unknown", "inGracePeriod", "inBillingRetryPeriod": yellow(text)
        case "lapsed", "expired", "revoked": red(text)
        case "never": dim(text)
        default: text
        }
    }
}
