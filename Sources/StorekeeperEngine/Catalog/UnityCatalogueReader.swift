/// Reads the product catalog of Unity's in-app purchasing.
struct UnityCatalogueReader {
    var draft: CatalogDraft

    private static let knownKeys: Set<String> = [
        "products", "appleSKU", "appleTeamID", "enableCodelessAutoInitialization",
        "enableUnityGamingServicesAutoInitialization", "appleCatalog", "googleCatalog",
    ]

    init(draft: CatalogDraft) { self.draft = draft }

    /// Returns whether a value is a catalog of Unity, which has keys that other catalog files do not have.
    static func recognizes(_ root: DocumentValue) -> Bool {
        guard let root = root.dictionary else { return false }
        let products = root["products"]?.array ?? []
        return root["appleSKU"] != nil || root["appleTeamID"] != nil
            || root["enableCodelessAutoInitialization"] != nil
            || products.contains { $0.dictionary?["storeIDs"]?.array != nil }
    }

    /// Reads the catalog; ignores its prices, which are price tiers without a currency.
    mutating func read(_ root: DocumentValue) {
        guard let root = root.dictionary else { return }
        draft.reportUnknownMembers(of: root, at: "", isKnown: Self.knownKeys.contains)
        var seen: Set<Product.ID> = []
        for (index, element) in (root["products"]?.array ?? []).enumerated() {
            let path = "products[\(index)]"
            guard let entry = element.dictionary, let text = appleID(of: entry) ?? entry["id"]?.string else {
                draft.report(.skippedEntry, "an entry that is not a product was skipped", at: path)
                continue
            }
            guard let id = draft.productID(text, at: "\(path).id") else { continue }
            guard seen.insert(id).inserted else {
                draft.report(
                    .duplicateProduct, subject: id.rawValue, "the product is listed twice; the first entry counts",
                    at: path)
                continue
            }
            var product = CatalogDraft.ProductDraft(id: id)
            product.type = type(of: entry, subject: id.rawValue, at: "\(path).type")
            product.grants = grants(of: entry, id, at: "\(path).payouts")
            let texts = entry["defaultDescription"]?.dictionary
            product.displayName = texts?["title"]?.string.flatMap { $0.isEmpty ? nil : $0 }
            product.description = texts?["description"]?.string.flatMap { $0.isEmpty ? nil : $0 }
            draft.add(product)
        }
    }

    /// Returns the product's id in the App Store; `nil` if the entry does not contain this id.
    private func appleID(of entry: DocumentDictionary) -> String? {
        for element in entry["storeIDs"]?.array ?? [] {
            if let store = element.dictionary, store["store"]?.string == "AppleAppStore", let id = store["id"]?.string,
                !XMLText.trimmed(id).isEmpty
            {
                return id
            }
        }
        return nil
    }

    /// Returns what the payouts of the type `Currency` add to balances; other payouts are not balances.
    private mutating func grants(
        of entry: DocumentDictionary, _ id: Product.ID, at path: String
    ) -> [BalanceID: Int64] {
        var grants: [BalanceID: Int64] = [:]
        for (index, element) in (entry["payouts"]?.array ?? []).enumerated() {
            let path = "\(path)[\(index)]"
            guard let payout = element.dictionary, payout["t"]?.string == "Currency" || payout["t"]?.wholeNumber == 1
            else { continue }
            let balance = payout["st"]?.string.map(XMLText.trimmed) ?? ""
            let known = grants[BalanceID(balance)] ?? 0
            guard !balance.isEmpty, let amount = payout["q"]?.wholeNumber, amount > 0,
                amount <= ProductListReader.maximumGrant - known
            else {
                draft.report(
                    .unknownValue, subject: id.rawValue,
                    "the payout has no subtype, or its quantity is not a whole number from 1; it was skipped",
                    at: path)
                continue
            }
            grants[BalanceID(balance)] = known + amount
        }
        return grants
    }

    private mutating func type(
        of entry: DocumentDictionary, subject: String, at path: String
    ) -> CatalogDraft.SourcedValue<Product.ProductType>? {
        guard let value = entry["type"], value.isNumber else {
            return draft.type(entry["type"], subject: subject, at: path)
        }
        switch value.wholeNumber {
        case 0: return draft.stated(.consumable, at: path)
        case 1: return draft.stated(.nonConsumable, at: path)
        case 2: return draft.stated(.autoRenewable, at: path)
        default:
            draft.report(
                .unknownType, subject: subject, "the product type is not known; Unity has 0, 1 and 2", at: path)
            return nil
        }
    }
}
