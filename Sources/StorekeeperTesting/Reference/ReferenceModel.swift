public import Storekeeper

/// A second, naive reading of the rules, for comparison with the engine.
///
/// It is written from the specification and shares nothing with the resolver. Every question looks at all facts
/// afresh, for one instant; there is no timeline, and nothing is remembered but what does not depend on time: which
/// copy of a fact is the newest, and which chain and group it belongs to. So a reader can check each rule alone.
public struct ReferenceModel: Sendable {
    /// The newest copy of each transaction of an accepted environment, of all types.
    let transactions: [ReferenceFact]
    /// All renewal infos that are beside a transaction of their chain.
    let renewalInfos: [RenewalInfo]
    /// The lines of service of auto-renewable transactions.
    let chains: [ReferenceLine]
    /// The subscription groups.
    let groups: [ReferenceGroup]
    /// Every product that any evidence names, also evidence that does not count.
    let namedProducts: [Product.ID: Set<Product.ProductType>]
    let unverifiedProductIDs: Set<Product.ID>
    /// Whether the evidence is of several customers, as far as it tells.
    public let namesSeveralCustomers: Bool
    let catalog: Catalog
    let policy: ReferencePolicy

    /// Makes a model.
    ///
    /// - Parameters:
    ///   - transactions: All copies, in any order, of verified evidence.
    ///   - renewalInfos: All copies, in any order, of verified evidence.
    ///   - catalog: What the app sells.
    ///   - policy: What the business chose.
    ///   - unverifiedProductIDs: Products named by evidence that failed verification.
    public init(
        transactions: [Transaction], renewalInfos: [RenewalInfo], catalog: Catalog,
        policy: ReferencePolicy = ReferencePolicy(), unverifiedProductIDs: Set<Product.ID> = []
    ) {
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
        // A renewal info counts only beside a transaction of its chain; where both say which download of the app
        // they belong to, they must agree.
        let paired = renewalInfos.filter { info in
            newest.contains { transaction in
                transaction.environment == info.environment && transaction.originalID == info.originalTransactionID
                    && Self.agree(transaction.appTransactionID, info.appTransactionID)
            }
        }
        self.renewalInfos = paired
        chains = Self.lines(of: Self.onePeriodEach(newest), groups: groups, infos: paired)
    }

    /// Makes a model of generated evidence.
    ///
    /// - Throws: What the core throws where it refuses a payload.
    public init(_ evidence: GeneratedEvidence, policy: ReferencePolicy = ReferencePolicy()) throws {
        self.init(
            transactions: try evidence.decodedTransactions(),
            renewalInfos: try evidence.decodedRenewalInfos(),
            catalog: evidence.catalog, policy: policy)
    }

    /// Every product of catalog and evidence that is not a consumable, by id; one whose type is in doubt is among them.
    public var productIDs: [Product.ID] {
        var types = namedProducts
        for product in catalog.products {
            // The catalog's word counts, unless evidence that counts contradicts it.
            types[product.id] = product.type.map { [$0] } ?? types[product.id, default: []]
        }
        for id in unverifiedProductIDs where types[id] == nil { types[id] = [] }
        return types.filter { $0.value != [.consumable] || isConflicting($0.key) }.keys.sorted()
    }

    /// Whether chains have different account tokens, each that of its newest copy with one, or newest copies of one
    /// environment that are not for family members have different app transaction ids.
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

    private static func agree(_ left: String?, _ right: String?) -> Bool {
        left == nil || right == nil || left == right
    }
}
