import Storekeeper

/// Generates valid purchase histories with situations that simple programs handle wrongly.
///
/// Instants come from a small set, so that boundaries of different chains often coincide. Generators with equal seeds
/// return equal evidence.
///
/// ```swift
/// checkProperty("a doubled history is the same", generate: HistoryGenerator().generate, shrink: \.smaller) { … }
/// ```
public struct HistoryGenerator: Sendable {
    /// The maximum number of subscription chains in a history.
    public var maximumChains: Int
    /// The maximum number of one-time purchases in a history, including consumables.
    public var maximumOneTimePurchases: Int
    /// Whether some chains contain subscriptions of several groups, which does not occur in the App Store.
    public var mixesGroups: Bool

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - maximumChains: The maximum number of subscription chains in a history.
    ///   - maximumOneTimePurchases: The maximum number of one-time purchases in a history.
    ///   - mixesGroups: Whether some chains contain subscriptions of several groups.
    public init(maximumChains: Int = 4, maximumOneTimePurchases: Int = 4, mixesGroups: Bool = false) {
        self.maximumChains = maximumChains
        self.mixesGroups = mixesGroups
        self.maximumOneTimePurchases = maximumOneTimePurchases
    }

    /// Returns the next history.
    public func generate(_ random: inout SplitMix64) -> GeneratedEvidence {
        var writer = HistoryWriter(shop: GeneratedShop(&random), random: random)
        writer.mixesGroups = mixesGroups
        for _ in 0..<writer.random.number(in: 0...max(0, maximumChains)) { writer.addChain() }
        for _ in 0..<writer.random.number(in: 0...max(0, maximumOneTimePurchases)) { writer.addOneTimePurchases() }
        if writer.random.chance(8) { writer.addUnpairedRenewalInfo() }
        let evidence = writer.finished()
        random = writer.random
        return evidence
    }
}

/// Generates one history.
struct HistoryWriter {
    let shop: GeneratedShop
    var random: SplitMix64
    var transactions: [TransactionDraft] = []
    var renewalInfos: [RenewalInfoDraft] = []
    var notifications: [NotificationDraft] = []
    var situations: Set<HistorySituation> = []
    var mixesGroups = false
    /// The last assigned id.
    ///
    /// Because ids soon have three digits instead of two, code that compares ids as text orders them wrongly.
    private var lastID = 95

    init(shop: GeneratedShop, random: SplitMix64) {
        self.shop = shop
        self.random = random
    }

    mutating func nextID() -> Transaction.ID {
        lastID += 1
        return Transaction.ID(rawValue: String(lastID))
    }

    mutating func recordSituation(_ situation: HistorySituation) { situations.insert(situation) }

    /// Returns a start date, which is usually the first day of a month, so that periods coincide.
    mutating func start() -> Instant {
        Instant.month(random.number(in: 0...4)).adding(days: random.pick(0, 0, 0, 3, 16))
    }

    mutating func environment() -> AppStore.Environment {
        guard random.chance(15) else { return .production }
        return random.pick(.sandbox, .sandbox, .xcode, AppStore.Environment(rawValue: "Staging"))
    }

    mutating func finished() -> GeneratedEvidence {
        if random.chance(15), let copy = random.element(of: transactions) {
            transactions.append(copy)
            recordSituation(.identicalCopies)
        }
        if random.chance(10), let copy = random.element(of: renewalInfos) { renewalInfos.append(copy) }
        transactions.shuffle(using: &random)
        renewalInfos.shuffle(using: &random)
        recordPresentSituations()
        var evidence = GeneratedEvidence(
            catalog: shop.catalog, transactions: transactions, renewalInfos: renewalInfos, situations: situations)
        evidence.notifications = notifications.shuffled(using: &random)
        return evidence
    }

    private mutating func recordPresentSituations() {
        let environments = Set(transactions.map(\.environment))
        if environments.count > 1 { recordSituation(.severalEnvironments) }
        if Set(transactions.map { "\($0.id) \($0.environment.rawValue)" }).count > Set(transactions.map(\.id)).count {
            recordSituation(.sameIDInTwoEnvironments)
        }
        if transactions.contains(where: { shop.catalog.product($0.productID) == nil }) {
            recordSituation(.productNotInCatalog)
        }
        for draft in transactions where draft.type == .autoRenewable {
            if let product = shop.catalog.product(draft.productID), product.subscription?.groupLevel == nil {
                recordSituation(.levelNotInCatalog)
            }
        }
        if shop.catalog.features.contains(where: { !$0.productIDs.isEmpty }) { recordSituation(.feature) }
        let subscriptions = transactions.filter { $0.type == .autoRenewable && $0.environment == .production }
        let chains = Dictionary(grouping: subscriptions, by: \.productID).values.map { Set($0.map(\.originalID)) }
        if chains.contains(where: { $0.count > 1 }) { recordSituation(.severalChainsOfProduct) }
        let copies = Dictionary(grouping: transactions) { "\($0.id) \($0.environment.rawValue)" }.values
        if copies.contains(where: { Set($0).count > 1 }) { recordSituation(.severalCopies) }
    }
}
