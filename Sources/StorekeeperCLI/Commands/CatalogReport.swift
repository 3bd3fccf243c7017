import FoundationEssentials
import Storekeeper

/// A catalog, as `products` prints it.
enum CatalogReport {
    /// Returns the catalog as a JSON document.
    ///
    /// - Parameters:
    ///   - texts: The texts that are printed.
    ///   - diagnostics: Diagnostics that are reported in addition to the catalog's diagnostics.
    static func json(_ catalog: Catalog, _ texts: Catalog.Texts, diagnostics: [Diagnostic] = []) -> JSONText {
        var members = catalog.members(texts)
        members["diagnostics"] = .array(Diagnostic.sorted(catalog.diagnostics + diagnostics).map(\.json))
        return .object(members)
    }
}

/// The text format of `storekeeper products`.
///
/// Each id is at the beginning of a line, so that a long id does not push other text off the terminal.
extension CatalogReport {
    /// The width at which lists are wrapped if no width is given.
    private static let usualWidth = 80

    /// Returns the catalog as text.
    ///
    /// - Parameters:
    ///   - texts: The texts that are printed.
    ///   - width: The maximum number of columns of a line; `nil` means no limit.
    static func lines(
        _ catalog: Catalog, _ texts: Catalog.Texts, _ style: TerminalStyle, width: Int?
    ) -> [String] {
        var sections: [[String]] = []
        let products = table(of: catalog, texts)
        if !products.isEmpty { sections.append(products.lines(style, width: width)) }
        let lists = [
            ("NAMES AND DESCRIPTIONS", texts == .names ? [] : names(in: catalog, texts)),
            ("GROUPS, HIGHEST SERVICE FIRST", groups(catalog)), ("OFFERS AND BILLING PLANS", terms(catalog)),
            ("FEATURES, AND WHAT GIVES THEM", features(catalog)),
        ]
        for (heading, entries) in lists where !entries.isEmpty {
            sections.append([style.bold(heading)] + entries.flatMap { $0.lines(width: width ?? usualWidth) })
        }
        guard !sections.isEmpty else { return ["The catalog is empty."] }
        return Array(sections.joined(separator: [""]))
    }

    private static func table(of catalog: Catalog, _ texts: Catalog.Texts) -> TextTable {
        var products = TextTable("PRODUCT", "TYPE", "PRICE", "PERIOD")
        products.widthReductions = [.drop("PERIOD"), .drop("TYPE")]
        for product in catalog.products {
            let period = product.subscription?.subscriptionPeriod ?? product.accessDuration
            let cells: (price: String?, period: String?)
            if case .localized(let locale) = texts {
                cells = (product.displayPrice(in: locale), period?.displayText(in: locale))
            } else {
                cells = (price(product.price, product.currencyCode), period?.text)
            }
            products.add(product.id.rawValue, product.type?.word ?? "", cells.price ?? "", cells.period ?? "")
        }
        return products
    }

    /// Returns an entry for each product; each line has the name and the description in one language.
    private static func names(in catalog: Catalog, _ texts: Catalog.Texts) -> [Entry] {
        catalog.products.compactMap { product in
            var lines: [(label: String, name: String?, description: String?)] = []
            switch texts {
            case .names: break
            case .localized(let locale):
                lines = [("", product.displayName(in: locale), product.description(in: locale))]
            case .all:
                lines = product.localizations.map { ($0.locale.identifier, $0.displayName, $0.description) }
                if lines.isEmpty { lines = [("", product.displayName, product.description)] }
            }
            let parts = lines.compactMap { label, name, description -> (label: String, words: [String])? in
                let text = [name, description].compactMap(\.self).joined(separator: ": ")
                return text.isEmpty ? nil : (label, text.split(separator: " ").map(String.init))
            }
            return parts.isEmpty ? nil : Entry(heading: product.id.rawValue, parts: parts)
        }
    }

    /// A heading with indented lines below it.
    private struct Entry {
        var heading: String
        /// The indented lines, each with a label and words.
        ///
        /// A line may be wrapped between two words.
        var parts: [(label: String, words: [String])]

        func lines(width: Int) -> [String] {
            [heading.onOneLine.abbreviated(to: width)]
                + parts.flatMap { Self.wrappedLines($0.words, after: $0.label, width) }
        }

        /// Wraps words; lines after the first are indented further.
        private static func wrappedLines(_ words: [String], after label: String, _ width: Int) -> [String] {
            var lines: [String] = []
            let indent = String(repeating: " ", count: label.isEmpty ? 4 : label.columns + 4)
            var line = label.isEmpty ? "  " : "  \(label)  "
            var isEmpty = true
            for word in words.map(\.onOneLine) {
                if !isEmpty, line.columns + 1 + word.columns > width {
                    lines.append(line)
                    (line, isEmpty) = (indent, true)
                }
                line += (isEmpty ? "" : " ") + word.abbreviated(to: max(width - indent.count, 8))
                isEmpty = false
            }
            return words.isEmpty ? [] : lines + [line]
        }
    }

    /// Returns an entry for each group, with a line for each level, beginning with the highest level of service.
    private static func groups(_ catalog: Catalog) -> [Entry] {
        catalog.groups.map { group in
            var tiers: [(level: Int?, ids: [Product.ID])] = []
            for id in group.productIDs {
                let level = catalog.product(id)?.subscription?.groupLevel
                if let last = tiers.last, last.level == level {
                    tiers[tiers.count - 1].ids.append(id)
                } else {
                    tiers.append((level, [id]))
                }
            }
            return Entry(
                heading: group.id.rawValue + (group.name.map { "  \($0)" } ?? ""),
                parts: tiers.map { ($0.level.map { "level \($0)" } ?? "no level", list($0.ids)) })
        }
    }

    private static func features(_ catalog: Catalog) -> [Entry] {
        catalog.features.map { Entry(heading: $0.id.rawValue, parts: [("", list($0.productIDs))]) }
    }

    /// Returns ids with commas between them.
    private static func list(_ ids: [Product.ID]) -> [String] {
        ids.dropLast().map { $0.rawValue + "," } + ids.suffix(1).map(\.rawValue)
    }

    // MARK: Offers and billing plans

    /// Returns an entry for each subscription, with its offers and billing plans.
    private static func terms(_ catalog: Catalog) -> [Entry] {
        catalog.products.compactMap { product in
            guard let subscription = product.subscription else { return nil }
            let currency = product.currencyCode
            let terms =
                subscription.billingPlans.map { words($0, currency) } + subscription.offers.map { words($0, currency) }
            guard !terms.isEmpty else { return nil }
            return Entry(
                heading: product.id.rawValue, parts: terms.map { ("", $0.split(separator: " ").map(String.init)) })
        }
    }

    private static func price(_ price: Decimal?, _ currency: String?) -> String {
        price.map { $0.description + (currency.map { " " + $0 } ?? "") } ?? ""
    }

    /// Describes a billing plan, such as `billed monthly at 1 USD, 12 USD in all`.
    private static func words(_ plan: BillingPlan, _ currency: String?) -> String {
        var words = "billed \(plan.type == .billedUpfront ? "up front" : plan.type.word)"
        if let amount = plan.price { words += " at \(price(amount, currency))" }
        if let amount = plan.commitmentPrice, amount != plan.price { words += ", \(price(amount, currency)) in all" }
        return words + (plan.isEnabled ? "" : ", not enabled")
    }

    /// Describes an offer, such as `introductory P1W free` or `promotional "loyal" 3 × P1M at 4.99 USD`.
    private static func words(_ offer: SubscriptionOffer, _ currency: String?) -> String {
        var words = [offer.id.map { "\(offer.kind.rawValue) \"\($0)\"" } ?? offer.kind.rawValue]
        if let period = offer.period {
            words.append(offer.periodCount > 1 ? "\(offer.periodCount) × \(period.text)" : period.text)
        }
        switch offer.paymentMode {
        case .freeTrial: words.append("free")
        case .payUpFront: words.append("up front")
        case .oneTime: words.append("once")
        case .payAsYouGo, nil: break
        }
        if offer.paymentMode != .freeTrial, let amount = offer.price { words.append("at \(price(amount, currency))") }
        var details: [String] = []
        let customers = offer.eligibilityWords
        if !customers.isEmpty { details.append("for \(customers.joined(separator: ", ")) customers") }
        if offer.isStackable { details.append("after the introductory offer") }
        if let plan = offer.billingPlanType {
            details.append("billed \(plan == .billedUpfront ? "up front" : plan.word)")
        }
        if offer.isEligible == false { details.append("switched off") }
        return ([words.joined(separator: " ")] + details).joined(separator: "; ")
    }
}
