public import Storekeeper

/// The evidence of one customer of one app, as ``HistoryGenerator`` makes it up.
public struct GeneratedEvidence: Sendable, CustomStringConvertible {
    /// What the app sells; not every product of the evidence is in it.
    public var catalog: Catalog
    /// Copies of transactions, in no order.
    public var transactions: [TransactionDraft]
    /// Copies of renewal infos, in no order.
    public var renewalInfos: [RenewalInfoDraft]
    /// What the generator put in; a simplified history may no longer have all of it.
    public var situations: Set<HistorySituation>

    /// Puts evidence together by hand.
    public init(
        catalog: Catalog, transactions: [TransactionDraft], renewalInfos: [RenewalInfoDraft] = [],
        situations: Set<HistorySituation> = []
    ) {
        self.catalog = catalog
        self.transactions = transactions
        self.renewalInfos = renewalInfos
        self.situations = situations
    }

    /// The copies of transactions as the core decodes them, unsigned.
    ///
    /// - Throws: `PayloadError` or `JSONError` where the core refuses a payload, which it does with none that the
    ///   generator makes.
    public func decodedTransactions() throws -> [Transaction] { try transactions.map { try $0.transaction() } }

    /// The copies of renewal infos as the core decodes them, unsigned.
    ///
    /// - Throws: `PayloadError` or `JSONError` where the core refuses a payload, which it does with none that the
    ///   generator makes.
    public func decodedRenewalInfos() throws -> [RenewalInfo] { try renewalInfos.map { try $0.renewalInfo() } }

    /// The ids of all products of catalog and evidence, sorted.
    public var productIDs: [Product.ID] {
        Set(catalog.products.map(\.id) + transactions.map(\.productID)).sorted()
    }

    /// The evidence as lines of text: products, features, then the payloads.
    public var description: String {
        var lines = catalog.products.map { product in
            var line = "product \(product.id) \(product.type?.word ?? "?")"
            if let subscription = product.subscription {
                line += " group \(subscription.subscriptionGroupID ?? "?")"
                line += " level \(subscription.groupLevel.map(String.init) ?? "?")"
            }
            if let duration = product.accessDuration { line += " lasts \(duration) \(product.stacking.rawValue)" }
            if !product.grants.isEmpty {
                let grants = product.grants.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
                line += " grants " + grants.joined(separator: ", ")
            }
            return line
        }
        lines += catalog.groups.map { "group \($0.id): \($0.productIDs.map(\.rawValue).joined(separator: " "))" }
        lines += catalog.features.map { "feature \($0.id): \($0.productIDs.map(\.rawValue).joined(separator: " "))" }
        lines += transactions.map { "transaction " + String(decoding: $0.payload, as: UTF8.self) }
        lines += renewalInfos.map { "renewal info " + String(decoding: $0.payload, as: UTF8.self) }
        return lines.joined(separator: "\n")
    }
}
