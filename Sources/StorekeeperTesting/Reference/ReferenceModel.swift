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
