/// Reports questionable properties of the evidence behind an answer, such as unknown products.
public struct EvidenceDiagnostics: Sendable {
    private let history: PurchaseHistory
    private let resolver: EntitlementResolver

    /// Creates the diagnostics of a history under a resolver's catalog and policy.
    public init(_ history: PurchaseHistory, resolver: EntitlementResolver) {
        self.history = history
        self.resolver = resolver
    }

    /// Returns the diagnostics of an answer, sorted and without duplicates.
    ///
    /// - Parameters:
    ///   - instant: The instant for which the answer was computed.
    ///   - now: The current time. A signature that is later than `instant` and `now` is reported as a signature from
    ///     the future.
    public func diagnostics(at instant: Instant, now: Instant) -> [Diagnostic] {
        Diagnostic.sorted(
            unknownProducts + receipts + ungranted + conflictingTypes + unknownValues + impossibleTimes
                + unpairedRenewalInfos + severalCustomers + revokedApps + ofSubscriptions(at: instant)
                + signedInFuture(of: max(instant, now)))
    }

    private var countedFacts: some Sequence<TransactionFact> {
        history.facts.lazy.filter { isCounted($0.transaction.environment) }
    }

    private var countedRenewalInfos: some Sequence<RenewalInfo> {
        history.newestRenewalInfos.lazy.map(\.renewalInfo).filter { isCounted($0.environment) }
    }

    private func isCounted(_ environment: AppStore.Environment) -> Bool { resolver.policy.counts(environment) }

    private var unknownProducts: [Diagnostic] {
        let unknown = countedFacts.map(\.transaction).filter { resolver.catalog.product($0.productID) == nil }
        let areConsumables = Dictionary(
            unknown.map { ($0.productID, $0.productType == .consumable) }, uniquingKeysWith: { $0 && $1 })
        return areConsumables.map { id, isConsumable in
            Diagnostic(
                .unknownProduct, subject: id.rawValue,
                message: isConsumable
                    ? "\(id) is in no catalog; add it to a --catalog"
                    : "\(id) is in no catalog, so it has no service level and is sorted last; add it to a --catalog")
        }
    }

    /// The diagnostics about products with a purchase that is known only from a receipt.
    private var receipts: [Diagnostic] {
        let dates = Dictionary(countedFacts.filter(\.isFromReceipt).map { ($0.productID, $0.signedAt) }) { max($0, $1) }
        return dates.map { id, date in
            Diagnostic(
                .receiptEvidence, subject: id.rawValue,
                message: "a purchase of \(id) is known from a receipt made \(date) only, which contains nothing newer, "
                    + "such as a refund: ask the App Store with 'storekeeper fetch --receipt'")
        }
    }

    /// The diagnostics about purchased consumables for which the catalog defines no grants.
    ///
    /// A consumable with a different type in the catalog is left out, because it credits nothing.
    private var ungranted: [Diagnostic] {
        let found = countedFacts.map(\.transaction).filter {
            $0.productType == .consumable && resolver.catalog.hasNoGrants($0.productID)
        }
        return Set(found.map(\.productID)).subtracting(contradictions.map(\.productID)).map(Diagnostic.ungranted)
    }

    /// The transactions whose product type differs from the type of the product in the catalog.
    private var contradictions: [Transaction] {
        countedFacts.map(\.transaction).filter { resolver.catalog.contradicts($0.productType, of: $0.productID) }
    }

    /// The diagnostics about products that have different types in the evidence and in the catalog.
    private var conflictingTypes: [Diagnostic] {
        let types = Dictionary(grouping: contradictions, by: \.productID)
            .mapValues { Set($0.map(\.productType.word)).sorted() }
        return types.map { id, types in
            return .conflictingType(id, types, resolver.catalog)
        }
    }

    private var unknownValues: [Diagnostic] {
        let ofTransactions = countedFacts.compactMap { fact -> Diagnostic? in
            let transaction = fact.transaction
            var values = transaction.unknownValues
            if transaction.productType == .unstated { values.removeAll { $0.hasPrefix("type: ") } }
            return unknownValue(values, of: "transaction", transaction.id)
        }
        let ofInfos = countedRenewalInfos.compactMap { info in
            unknownValue(info.unknownValues, of: "the renewal info of", info.originalTransactionID)
        }
        return ofTransactions + ofInfos
    }

    private func unknownValue(_ values: [String], of what: String, _ id: Transaction.ID) -> Diagnostic? {
        guard !values.isEmpty else { return nil }
        return Diagnostic(
            .unknownValue, subject: id.rawValue,
            message:
                "\(what) \(id) contains values that this version does not know (\(values.sorted().joined(separator: "; ")))"
                + ": an unknown value is kept and gives no access by itself, an unreadable member counts as absent; "
                + "update storekeeper")
    }

    /// The diagnostics about transactions whose times cannot be right.
    private var impossibleTimes: [Diagnostic] {
        countedFacts.compactMap { fact in
            let (id, transaction) = (fact.transaction.id, fact.transaction)
            if transaction.productType == .autoRenewable, transaction.expiresAt == nil {
                return Diagnostic(
                    .noExpiry, subject: id.rawValue,
                    message:
                        "transaction \(id) of the subscription \(transaction.productID) has no expiresDate: it gives "
                        + "no access; ask the App Store for the transaction")
            }
            if let member = transaction.memberInSeconds {
                return Diagnostic(
                    .unknownValue, subject: id.rawValue,
                    message:
                        "the \(member) of transaction \(id) seems to be in seconds, and is read as milliseconds since "
                        + "1970: multiply the times of the payload by 1000")
            }
            guard let expiresAt = transaction.expiresAt, expiresAt < transaction.purchasedAt else { return nil }
            return Diagnostic(
                .unknownValue, subject: id.rawValue,
                message:
                    "transaction \(id) expires at \(expiresAt), before its purchase at \(transaction.purchasedAt): it "
                    + "gives no access; check where the payload comes from")
        }
    }

    private var unpairedRenewalInfos: [Diagnostic] {
        // A purchase of another app has failed verification, which is reported already.
        var paired = history.purchasesOfOtherApps
        for id in history.chains.keys where isCounted(id.environment) && !history.renewalInfos(of: id).isEmpty {
            paired.insert(RenewalInfoKey(id))
        }
        return countedRenewalInfos.compactMap { info in
            guard !paired.contains(RenewalInfoKey(info)) else { return nil }
            return .unpaired(info)
        }
    }

    private var severalCustomers: [Diagnostic] {
        let tokens = history.tokens.filter { isCounted($0.chain.environment) }
        if Set(tokens.map(\.token)).count > 1 {
            return [Self.severalCustomers("account tokens of several customers", tokens.map(\.chain.originalID))]
        }
        let purchases = purchasesOfSeveralDownloads
        return purchases.isEmpty
            ? [] : [Self.severalCustomers("app transaction ids of several Apple Accounts", purchases)]
    }

    private var revokedApps: [Diagnostic] {
        history.appTransactions.counting.map(\.appTransaction).compactMap { record in
            guard isCounted(record.environment), let revokedAt = record.revokedAt else { return nil }
            return Diagnostic(
                .appRevoked, subject: record.appTransactionID ?? record.bundleID,
                message: "the app itself was refunded or taken back at \(revokedAt): its app transaction changes no "
                    + "product's answer, and proves no right by originalApplicationVersion")
        }
    }

    private static func severalCustomers(_ what: String, _ purchases: some Sequence<Transaction.ID>) -> Diagnostic {
        let chains = Set(purchases).sorted { $0.precedesAsNumber($1) }
        return Diagnostic(
            .severalCustomers, subject: chains.first?.rawValue,
            message: "the evidence contains \(what) (purchases "
                + "\(chains.prefix(8).map(\.rawValue).joined(separator: ", "))): evaluate one customer at a time")
    }

    /// The original ids of purchases in an app and environment for which more than one app transaction id occurs.
    ///
    /// Each Apple Account has its own app transaction id, so these purchases belong to several accounts. Family-shared
    /// copies are left out, because each member of a family has a different app transaction id.
    private var purchasesOfSeveralDownloads: [Transaction.ID] {
        let named = countedFacts.map(\.transaction).filter {
            $0.appTransactionID != nil && $0.ownershipType != .familyShared
        }
        return Dictionary(grouping: named) { App(bundleID: $0.appBundleID, environment: $0.environment) }
            .values.filter { Set($0.map(\.appTransactionID)).count > 1 }.flatMap { $0.map(\.originalID) }
    }

    private struct App: Hashable {
        let bundleID: String
        let environment: AppStore.Environment
    }

    /// The lines of service whose transactions count.
    var countedLines: [GroupDirectory.Line] { countedChains.flatMap(\.lines) }

    private var countedChains: [(id: ChainID, lines: [GroupDirectory.Line])] {
        let chains = history.chains.filter { isCounted($0.key.environment) }
        let groups = GroupDirectory(catalog: resolver.catalog, chains: chains)
        return chains.map { id, chain in (id, groups.lines(of: chain, pairing: history.pairing(of: id))) }
    }

    /// Returns the diagnostics about the lines of service of subscriptions.
    private func ofSubscriptions(at instant: Instant) -> [Diagnostic] {
        countedChains.flatMap { id, lines in
            let examination = StatusExamination(history, id, resolver: resolver)
            return lines.flatMap { line in
                [stale(line, at: instant), successorMissing(line, at: instant)].compactMap { $0 } + levelsDiffer(line)
                    + examination.differences(in: line)
            }
        }
    }

    /// Returns the diagnostic about an upgraded transaction that has no successor a day after its signing.
    private func successorMissing(_ line: GroupDirectory.Line, at instant: Instant) -> Diagnostic? {
        guard let last = line.facts.last?.transaction, last.isUpgraded, instant >= last.signedAt.adding(days: 1) else {
            return nil
        }
        return Diagnostic(
            .successorMissing, subject: last.id.rawValue,
            message:
                "transaction \(last.id) of \(last.productID) was upgraded, but the transaction of the new product is not "
                + "in the evidence: fetch the customer's history")
    }

    /// Returns the diagnostics about products of a lower level to which the customer moved within a period.
    ///
    /// The App Store moves a customer to a lower level only at the end of a period.
    private func levelsDiffer(_ line: GroupDirectory.Line) -> [Diagnostic] {
        line.places.compactMap { place in
            guard let next = place.next, next.productID != place.period.productID, next.purchasedAt < place.period.end,
                place.period.decider(at: next.purchasedAt).revokedAt.map({ $0 > next.purchasedAt }) ?? true,
                let level = resolver.catalog.product(place.period.productID)?.subscription?.groupLevel,
                let other = resolver.catalog.product(next.productID)?.subscription?.groupLevel, level < other
            else { return nil }
            return Diagnostic(
                .levelsDiffer, subject: next.productID.rawValue,
                message:
                    "a customer moved at once from \(place.period.productID) (level \(level)) to \(next.productID) (level "
                    + "\(other)), which the App Store does only for the same or a higher level: compare the levels of the "
                    + "catalog with App Store Connect")
        }
    }

    /// Returns the diagnostic about a subscription that may have renewed since the evidence was signed, or that has
    /// renewed according to a renewal info.
    func stale(_ line: GroupDirectory.Line, at instant: Instant) -> Diagnostic? {
        guard let last = line.places.last?.period.decider(at: .distantFuture).transaction else { return nil }
        let expiry = last.subscriptionPeriodEnd
        let newest = line.pairing.infos.last?.renewalInfo
        guard instant >= expiry else { return nil }
        func diagnostic(_ what: String) -> Diagnostic {
            Diagnostic(
                .staleEvidence, subject: last.originalID.rawValue,
                message: "the evidence of \(last.productID) (\(last.originalID)) \(what); fetch it again")
        }
        if let newest, let next = newest.renewsAt, newest.signedAt >= expiry, next > expiry.adding(days: 1) {
            return diagnostic(
                "ends at \(expiry), but its renewal info says that the next period begins at \(next): a renewal is "
                    + "missing")
        }
        guard last.revokedAt == nil, !last.isUpgraded,
            max(last.signedAt, newest?.signedAt ?? .distantPast) < expiry,
            line.lastInfo?.autoRenewStatus != .off
        else { return nil }
        return diagnostic("was signed before its period ended at \(expiry): it may have renewed since")
    }

    private func signedInFuture(of now: Instant) -> [Diagnostic] {
        let limit = now.adding(milliseconds: PresentInstant.allowedSkew)
        let subjects =
            countedFacts.filter { $0.transaction.signedAt > limit }.map(\.transaction.id)
            + countedRenewalInfos.filter { $0.signedAt > limit }.map(\.originalTransactionID)
        return Set(subjects).map { id in
            Diagnostic(
                .futureSignedDate, subject: id.rawValue,
                message: "the evidence of \(id) was signed in the future: it counts, but check the clocks")
        }
    }
}

extension Transaction {
    /// The name of a member whose time seems to be in seconds; `nil` if all times are plausible.
    ///
    /// A time in seconds, read as milliseconds, is in January 1970, before the App Store existed.
    fileprivate var memberInSeconds: String? {
        let times = [
            ("purchaseDate", purchasedAt), ("signedDate", signedAt), ("expiresDate", expiresAt ?? .distantPast),
        ]
        // The seconds from the opening of the App Store to the year 2100.
        return times.first { (1_200_000_000..<4_102_444_800).contains($0.1.millisecondsSince1970) }?.0
    }
}

extension Diagnostic {
    /// Returns the diagnostic about a product whose type differs between a catalog and the evidence.
    package static func conflictingType(_ id: Product.ID, _ types: [String], _ catalog: Catalog) -> Diagnostic {
        let known = catalog.type(of: id)?.word ?? "unknown"
        return Diagnostic(
            .conflictingType, subject: id.rawValue,
            message: "the catalog says that \(id) is \(known), the evidence \(types.joined(separator: " and ")): "
                + "its answer is unknown, and no balance is credited; correct its type in the catalog")
    }

    /// Returns the diagnostic about a renewal info without a verified transaction of its chain.
    package static func unpaired(_ info: RenewalInfo) -> Diagnostic {
        let id = info.originalTransactionID
        return Diagnostic(
            .unpairedRenewalInfo, subject: id.rawValue,
            message: "a renewal info is about \(id), which has no verified transaction: it is ignored; add the "
                + "transaction")
    }

    /// Returns the diagnostic about a product that a feature names but that is in no product list.
    static func unlisted(_ id: Product.ID, in feature: Feature.ID) -> Diagnostic {
        Diagnostic(
            .unknownProduct, subject: id.rawValue,
            message: "the feature \(feature) names \(id), which is in no product list: check the spelling")
    }

    /// Returns the diagnostic about a consumable for which the catalog defines no grants.
    ///
    /// Grants that are added to the catalog later do not change credits that were already made.
    package static func ungranted(_ id: Product.ID) -> Diagnostic {
        Diagnostic(
            .noGrants, subject: id.rawValue,
            message:
                "no catalog defines the 'grants' of \(id): each unit adds 1 to the balance '\(id)'; add 'grants' to a "
                + "product list, such as Products.json, before you import it into a vault")
    }
}

// The codes about evidence. Some of them are also about catalogs.
extension Diagnostic.Code {
    /// Evidence failed verification and does not count.
    ///
    /// The subject is the code of ``VerificationError``.
    ///
    /// Remedy: Check each item with `storekeeper verify`.
    public static let unverifiedEvidence = Self("unverifiedEvidence")
    /// The evidence is of an environment that is not accepted, so it does not count.
    ///
    /// Remedy: Accept the environment if testers should have access.
    public static let environmentRefused = Self(
        "environmentRefused", english: "purchases of another environment do not count",
        german: "Käufe einer anderen Umgebung zählen nicht")
    /// The bundle ids of the evidence were not compared with a bundle id of yours.
    ///
    /// Remedy: Configure the app's bundle id.
    public static let bundleNotChecked = Self("bundleNotChecked")
    /// Chains carry different account tokens, or purchases of one environment name different app transaction ids
    /// (copies for family members are not considered).
    ///
    /// Remedy: Ask about one customer at a time.
    public static let severalCustomers = Self("severalCustomers")
    /// A product is in no catalog, so it has no service level and is sorted last.
    ///
    /// Remedy: Add it to a catalog.
    ///
    /// About a catalog: a feature, a list of subscriptions or a bundle names a product that is in no list of products.
    ///
    /// Remedy: Correct the name, or list the product.
    public static let unknownProduct = Self(
        "unknownProduct", english: "no product list contains the product",
        german: "keine Produktliste enthält das Produkt")
    /// There is a renewal info, but no verified transaction of its chain.
    ///
    /// A renewal info names no app, so it does not count without a transaction.
    ///
    /// Remedy: Add the transaction.
    public static let unpairedRenewalInfo = Self(
        "unpairedRenewalInfo", english: "Apple's plan for a renewal does not count without the purchase",
        german: "Apples Angabe über eine Verlängerung zählt nicht ohne den Kauf")
    /// The evidence contains a value that this version of Storekeeper does not know; the value is kept, and gives no
    /// access by itself.
    ///
    /// Or a member of the evidence cannot be read, and counts as absent. Or a time cannot be right: an expiry before
    /// the purchase, or a time in seconds.
    ///
    /// Remedy: Correct the times, or update Storekeeper.
    ///
    /// About a catalog: a value is missing or is not known, such as the service level of one of several subscriptions.
    /// As a note: the App Store does not accept a product id.
    ///
    /// Remedy: Give the value, or correct it.
    public static let unknownValue = Self(
        "unknownValue", english: "Apple has signed a value that this version cannot interpret",
        german: "Apple hat einen Wert signiert, den diese Version nicht deuten kann")
    /// A subscription period has ended since the evidence was signed.
    ///
    /// The subscription may have renewed, or it has renewed according to a renewal info.
    ///
    /// Remedy: Fetch the customer's history again.
    public static let staleEvidence = Self(
        "staleEvidence", english: "Apple may have renewed it since; fetch it from Apple",
        german: "Apple kann es seitdem verlängert haben; von Apple abrufen")
    /// The App Store's own status of a subscription differs from the state that follows from what was signed by then.
    ///
    /// Remedy: Fetch the customer's history.
    public static let statusDiffers = Self(
        "statusDiffers", english: "Apple's own status differs from the evidence; fetch it from Apple",
        german: "Apples eigener Status weicht von den Belegen ab; von Apple abrufen")
    /// A transaction was upgraded, and a day later the transaction of the new product is still missing.
    ///
    /// Remedy: Fetch the customer's history.
    public static let successorMissing = Self(
        "successorMissing", english: "the upgrade that replaced it is missing; fetch it from Apple",
        german: "der Wechsel, der es ersetzte, fehlt; von Apple abrufen")
    /// A customer moved at once to a product that the catalog ranks lower, but the App Store defers downgrades.
    ///
    /// Remedy: Compare the levels with App Store Connect.
    public static let levelsDiffer = Self(
        "levelsDiffer", english: "the levels of the catalog seem to differ from App Store Connect",
        german: "die Stufen im Katalog weichen wohl von App Store Connect ab")
    /// A transaction of an auto-renewable subscription has no `expiresDate`, so it gives no access.
    ///
    /// Remedy: Ask the App Store for the transaction.
    public static let noExpiry = Self(
        "noExpiry", english: "the subscription has no expiry and gives no access",
        german: "das Abonnement hat kein Ablaufdatum und gibt keinen Zugriff")
    /// A purchase is known only from a receipt of the original StoreKit, which contains no changes after its date.
    ///
    /// Remedy: Fetch the customer's history, with `storekeeper fetch --receipt`.
    public static let receiptEvidence = Self(
        "receiptEvidence", .note, english: "the purchase is known only from an old receipt",
        german: "der Kauf ist nur aus einer alten Quittung bekannt")
    /// A signature is more than a minute ahead of both the clock and the given instant.
    ///
    /// Remedy: Check the clocks.
    public static let futureSignedDate = Self(
        "futureSignedDate", english: "the signature is from the future; check the clocks",
        german: "die Signatur liegt in der Zukunft; die Uhren prüfen")
    /// The app itself was refunded or taken back.
    ///
    /// Its app transaction stays verified and changes no product's answer, but proves no right by its original version
    /// or date.
    ///
    /// Remedy: Nothing.
    public static let appRevoked = Self(
        "appRevoked", english: "the app itself was refunded or taken back",
        german: "die App selbst wurde erstattet oder zurückgenommen")
    /// A file contains no items, which counts as complete evidence that nothing was bought.
    ///
    /// Remedy: Check that the file is complete.
    public static let emptyEvidence = Self("emptyEvidence")
    /// No catalog defines the `grants` of a consumable: each unit adds 1 to a balance with the product's id.
    ///
    /// Remedy: Add `grants` to a list of products.
    public static let noGrants = Self(
        "noGrants", english: "no product list defines what the product adds to a balance",
        german: "keine Produktliste legt fest, was das Produkt gutschreibt")
    /// A purchase was credited to a customer who has been erased since then.
    ///
    /// The purchase is stored, but not credited again.
    ///
    /// Remedy: Nothing.
    public static let creditedBefore = Self("creditedBefore")
    /// The evidence and the catalog contain different types for a product: the product is `unknown`, and no balance is
    /// credited.
    ///
    /// Remedy: Correct the type in the catalog.
    ///
    /// About catalogs: they contain two types for one product; the type that counts is chosen as for
    /// ``conflictingLevel``. Or a subscription group contains a product that is not an auto-renewable subscription.
    ///
    /// Remedy: Correct the type in the catalog; the product is unknown until then.
    public static let conflictingType = Self(
        "conflictingType", english: "catalog and evidence disagree about the type of the product",
        german: "Katalog und Belege widersprechen sich über die Art des Produkts")
}
