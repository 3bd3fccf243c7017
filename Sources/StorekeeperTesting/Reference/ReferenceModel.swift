public import Storekeeper

/// A second, simple implementation of the rules, for comparison with the engine.
///
/// The model is written from the specification, and shares no code with the resolver. For each question, it examines
/// all facts again for one instant, without a timeline. The model stores only values that do not depend on time: the
/// newest copy of each fact, and the chain and group of the fact. Therefore a reader can check each rule separately.
public struct ReferenceModel: Sendable {
    /// The newest copy of each transaction of an accepted environment, whatever the type of its product.
    let transactions: [ReferenceFact]
    /// The renewal infos that have a transaction of the same chain in the evidence.
    let renewalInfos: [RenewalInfo]
    /// The lines of service of auto-renewable transactions.
    let chains: [ReferenceChain]
    /// The subscription groups.
    let groups: [ReferenceGroup]
    /// The types of every product that the evidence names, including evidence that does not count.
    let namedProducts: [Product.ID: Set<Product.ProductType>]
    let unverifiedProductIDs: Set<Product.ID>
    /// Whether the evidence appears to belong to several customers.
    public let namesSeveralCustomers: Bool
    let catalog: Catalog
    let policy: ReferencePolicy
    /// The access that was granted without a purchase.
    let grants: [AccessGrant]
    /// The newest copy of each app transaction of an accepted environment.
    let appTransactions: [AppTransaction]

    /// Creates a model.
    ///
    /// - Parameters:
    ///   - transactions: All copies of verified transactions, in any order.
    ///   - renewalInfos: All copies of verified renewal infos, in any order.
    ///   - notifications: Verified notifications, whose statuses are evidence.
    ///   - catalog: The app's catalog.
    ///   - policy: The rules that the business has chosen, for example whether a grace period gives access.
    ///   - unverifiedProductIDs: Products named by evidence that failed verification.
    ///   - grants: The access that was granted without a purchase.
    ///   - appTransactions: All copies of verified app transactions, in any order.
    public init(
        transactions: [Transaction], renewalInfos: [RenewalInfo], notifications: [NotificationDraft] = [],
        catalog: Catalog,
        policy: ReferencePolicy = ReferencePolicy(), unverifiedProductIDs: Set<Product.ID> = [],
        grants: [AccessGrant] = [], appTransactions: [AppTransaction] = []
    ) {
        self.grants = grants
        self.appTransactions = Self.newest(appTransactions, in: policy.environments)
        self.catalog = catalog
        self.policy = policy
        self.unverifiedProductIDs = unverifiedProductIDs
        var named: [Product.ID: Set<Product.ProductType>] = [:]
        for transaction in transactions { named[transaction.productID, default: []].insert(transaction.productType) }
        namedProducts = named
        let newest = Self.newestCopies(transactions.filter { policy.environments.contains($0.environment) })
        namesSeveralCustomers = Self.namesSeveralCustomers(
            transactions.filter { policy.environments.contains($0.environment) }, newest: newest)
        let facts = newest.map(ReferenceFact.init)
        self.transactions = facts
        let groups = Self.groups(of: facts, catalog: catalog)
        self.groups = groups
        // A renewal info is used only if the evidence contains a transaction of its chain. If the info and the
        // transaction have app transaction ids, the ids must be equal.
        let paired = renewalInfos.filter { info in
            newest.contains { transaction in
                transaction.environment == info.environment && transaction.originalID == info.originalTransactionID
                    && Self.agree(transaction.appTransactionID, info.appTransactionID)
            }
        }
        self.renewalInfos = paired
        chains = Self.lines(
            of: Self.onePeriodEach(newest), groups: groups, infos: paired,
            reports: notifications.compactMap(ReferenceReport.init))
    }

    /// Creates a model of generated evidence.
    ///
    /// - Throws: The engine's error if the engine refuses a payload.
    public init(
        _ evidence: GeneratedEvidence, policy: ReferencePolicy = ReferencePolicy(), grants: [AccessGrant] = []
    ) throws {
        self.init(
            transactions: try evidence.decodedTransactions(),
            renewalInfos: try evidence.decodedRenewalInfos(), notifications: evidence.notifications,
            catalog: evidence.catalog, policy: policy, grants: grants,
            appTransactions: try evidence.decodedAppTransactions())
    }

    /// The sorted ids of the products of the catalog and the evidence.
    ///
    /// A consumable is included only if its type is conflicting.
    public var productIDs: [Product.ID] {
        var types = namedProducts
        for product in catalog.products {
            // The type in the catalog replaces the types in the evidence; conflicting types are handled below.
            types[product.id] = product.type.map { [$0] } ?? types[product.id, default: []]
        }
        for id in unverifiedProductIDs where types[id] == nil { types[id] = [] }
        for case .product(let id) in grants.map(\.subject) where types[id] == nil { types[id] = [] }
        return types.filter { $0.value != [.consumable] || isConflicting($0.key) }.keys.sorted()
    }

    /// Returns whether the evidence appears to belong to several customers.
    ///
    /// Two signs show that the evidence belongs to several customers. First, the newest copies with an account token of
    /// two chains have different tokens. Second, two newest copies in the same environment that are not family-shared
    /// have different app transaction ids.
    private static func namesSeveralCustomers(_ copies: [Transaction], newest: [Transaction]) -> Bool {
        let withToken = copies.filter { $0.appAccountToken != nil }
        let tokens = withToken.filter { copy in
            !withToken.contains {
                $0.originalID == copy.originalID && $0.environment == copy.environment
                    && $0.appBundleID == copy.appBundleID && $0.signedAt > copy.signedAt
            }
        }
        .map(\.appAccountToken)
        if Set(tokens).count > 1 { return true }
        let own = newest.filter { $0.appTransactionID != nil && $0.ownershipType.rawValue != "FAMILY_SHARED" }
        return own.contains { one in
            own.contains {
                $0.environment == one.environment && $0.appBundleID == one.appBundleID
                    && $0.appTransactionID != one.appTransactionID
            }
        }
    }

    static func agree(_ left: String?, _ right: String?) -> Bool {
        left == nil || right == nil || left == right
    }
}

extension ReferenceModel {
    /// Returns every balance of the catalog and the evidence, sorted by id, with the purchases and refunds up to an
    /// instant.
    public func consumables(at instant: Instant) -> [ReferenceBalance] {
        var credited: [Balance.ID: Int128] = [:]
        var clawedBack: [Balance.ID: Int128] = [:]
        for product in catalog.products where product.type == .consumable || !product.grants.isEmpty {
            for id in grants(of: product.id).keys { credited[id] = 0 }
        }
        for transaction in transactions
        where transaction.productType == .consumable && !isConflicting(transaction.productID) {
            for (id, grant) in grants(of: transaction.productID) {
                credited[id, default: 0] += 0
                guard policy.ownerships.contains(transaction.ownershipType), transaction.purchasedAt <= instant
                else { continue }
                let amount = Int128(transaction.purchasedQuantity) * Int128(grant)
                credited[id, default: 0] += amount
                // The revocation reason 2, a move to a bundle, is not a refund.
                guard transaction.revocationReason != 2, let revokedAt = transaction.revokedAt,
                    max(revokedAt, transaction.purchasedAt) <= instant
                else { continue }
                clawedBack[id, default: 0] += Self.takenBack(by: transaction, grant: Int128(grant))
            }
        }
        return credited.keys.sorted().map { id in
            let (plus, minus) = (credited[id] ?? 0, clawedBack[id] ?? 0)
            return ReferenceBalance(
                id: id, credited: Int64(clamping: plus), clawedBack: Int64(clamping: minus),
                balance: Int64(clamping: plus - minus))
        }
    }

    /// Returns the number of units that a refund claws back.
    ///
    /// If the percentage is a rounded fraction of the purchased quantity, the refund is for a whole number of items.
    private static func takenBack(by transaction: ReferenceFact, grant: Int128) -> Int128 {
        let (share, quantity) = (
            Int128(transaction.revocationPercentage ?? 100_000), Int128(transaction.purchasedQuantity)
        )
        // For quantities of many thousands, two whole numbers may match the percentage. The nearer number is used, or
        // the smaller number if the numbers are equally near.
        let fitting = [share * quantity / 100_000, share * quantity / 100_000 + 1]
            .map { units in (units: units, distance: (share * quantity - 100_000 * units).magnitude) }
            .filter { $0.units <= quantity && 2 * $0.distance <= quantity.magnitude }
            .min { ($0.distance, $0.units) < ($1.distance, $1.units) }
        return fitting.map { $0.units * grant } ?? quantity * grant * share / 100_000
    }

    /// Returns the units that one unit of a product adds to each balance.
    private func grants(of productID: Product.ID) -> [Balance.ID: Int64] {
        guard let grants = catalog.product(productID)?.grants, !grants.isEmpty else {
            return [Balance.ID(productID.rawValue): 1]
        }
        return grants
    }
}

extension ReferenceModel {
    /// Returns the grants of the given subjects that give access at an instant.
    private func active(_ subjects: [AccessGrant.Subject], at instant: Instant) -> [AccessGrant] {
        grants.filter { grant in
            guard subjects.contains(grant.subject), grant.grantedAt <= instant, instant < grant.until else {
                return false
            }
            guard let revocation = grant.revocation else { return true }
            return instant < revocation.at
        }
    }

    /// Returns whether a grant gives access to a product at an instant.
    func isGranted(_ id: Product.ID, at instant: Instant) -> Bool { !active([.product(id)], at: instant).isEmpty }

    /// Returns the answer about a feature at an instant according to grants; `nil` if no grant gives access.
    ///
    /// If several grants give access, the grant that ends last decides. Of grants with equal ends, the grant that was
    /// made last decides. Of grants that were also made at the same instant, a grant of a product precedes a grant of
    /// the feature, and products are in the order of the catalog.
    func grantedFeature(_ id: Feature.ID, at instant: Instant) -> ReferenceFeatureAnswer? {
        let products = (catalog.feature(id)?.productIDs ?? []).filter { !isConflicting($0) }
        let subjects = products.map { AccessGrant.Subject.product($0) } + [.feature(id)]
        func end(_ grant: AccessGrant) -> Instant { min(grant.until, grant.revocation?.at ?? grant.until) }
        func precedes(_ left: AccessGrant, _ right: AccessGrant) -> Bool {
            if end(left) != end(right) { return end(left) > end(right) }
            return left.grantedAt > right.grantedAt
        }
        var best: AccessGrant?
        for subject in subjects {
            for grant in active([subject], at: instant) {
                if let known = best, !precedes(grant, known) { continue }
                best = grant
            }
        }
        guard let best else { return nil }
        var by: Product.ID?
        if case .product(let product) = best.subject { by = product }
        return ReferenceFeatureAnswer(answer: "entitled", reason: "granted", by: by)
    }

    /// The instants at which grants begin and end.
    var grantInstants: [Instant] {
        grants.flatMap { [$0.grantedAt, $0.until] + ($0.revocation.map { [$0.at] } ?? []) }
    }
}

/// The App Store's own status of a chain, from a notification.
struct ReferenceReport: Sendable {
    let originalID: Transaction.ID
    let appBundleID: String
    let environment: AppStore.Environment
    let signedAt: Instant
    let status: Int64

    /// Reads the status of a notification; `nil` if the notification has none.
    init?(_ notification: NotificationDraft) {
        guard let status = notification.status else { return nil }
        self.status = status
        originalID = notification.transaction.originalID
        appBundleID = notification.transaction.bundleID
        environment = notification.transaction.environment
        signedAt = notification.signedAt
    }
}

extension ReferenceModel {
    /// Returns the reports about a transaction, the oldest first.
    ///
    /// A report is about the transaction that was current when it was signed, if the App Store had tried to renew it by
    /// then. Of several reports with equal signing dates, a report without a grace period prevails, then the greater
    /// number.
    static func reports(on transaction: ReferenceFact, in line: ReferenceChain) -> [ReferenceReport] {
        guard let expiry = transaction.expiresAt else { return [] }
        let period = Self.period(of: transaction, among: line.facts).map(\.id)
        let reports = line.reports.filter { report in
            guard report.signedAt >= expiry.adding(days: -1),
                let current = line.facts.last(where: { $0.purchasedAt <= report.signedAt })
            else { return false }
            return period.contains(current.id)
        }
        return reports.filter { report in
            !reports.contains { other in
                guard other.signedAt == report.signedAt, other.status != report.status else { return false }
                return report.status == 4 || (other.status != 4 && other.status > report.status)
            }
        }
        .sorted { $0.signedAt < $1.signedAt }
    }

    /// Returns whether the App Store's status alone says that a grace period is running.
    static func isInGraceByReport(_ transaction: ReferenceFact, in line: ReferenceChain, at instant: Instant) -> Bool {
        guard let expiry = transaction.expiresAt, expiry <= instant, instant < expiry.adding(days: 28) else {
            return false
        }
        if let revokedAt = revocation(ofPeriodOf: transaction, in: line), revokedAt <= instant { return false }
        let reports = Self.reports(on: transaction, in: line)
        guard let report = reports.last(where: { $0.signedAt <= instant }) ?? reports.first, report.status == 4 else {
            return false
        }
        let able = infos(of: transaction, in: line).filter { $0.signedAt >= expiry.adding(days: -1) }
        let known = able.filter { $0.signedAt <= instant } + able.prefix(1)
        if known.contains(where: { $0.gracePeriodExpiresAt.map { $0 > expiry } ?? false }) { return false }
        return !known.contains {
            report.signedAt < $0.signedAt && $0.signedAt <= instant && indicatesGivenUp($0)
        }
    }

    /// Returns the instant at which the last transaction of a period was revoked; `nil` unless all are revoked.
    static func revocation(ofPeriodOf transaction: ReferenceFact, in line: ReferenceChain) -> Instant? {
        let facts = period(of: transaction, among: line.facts)
        return facts.contains { $0.revokedAt == nil } ? nil : facts.compactMap(\.revokedAt).max()
    }
}
