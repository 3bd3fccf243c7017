import FoundationEssentials

/// Reads a StoreKit configuration, the `.storekit` file that Xcode writes, in any version of its format.
///
/// Apple does not document the format. The reader's rules are based on the members that Xcode's files have in common.
struct StoreKitConfigurationReader {
    var draft: CatalogDraft
    /// The currency of the prices.
    private var currencyCode: String?
    /// The products that were already read; a duplicate product is skipped.
    private var seen: Set<Product.ID> = []
    /// The subscriptions outside of groups, with their paths.
    private var groupless: [(id: Product.ID, group: SubscriptionGroup.ID?, path: String)] = []
    private var grouped: Set<Product.ID> = []

    private static let knownKeys: Set<String> = [
        "version", "products", "settings", "subscriptionGroups", "identifier", "nonRenewingSubscriptions",
        "subscriptionOffersKeyPair", "subscriptionBundleGroups", "subscriptionSuiteGroups",
    ]
    /// The keys of members that a catalog does not use, and that are written again.
    private static let keptKeys: Set<String> = ["appPolicies"]
    private static let knownGroupKeys: Set<String> = ["id", "name", "localizations", "subscriptions"]

    init(draft: CatalogDraft) { self.draft = draft }

    /// Returns whether a value is a StoreKit configuration, which has keys that other catalog files do not have.
    static func recognizes(_ root: DocumentValue) -> Bool {
        guard let root = root.dictionary else { return false }
        for key in [
            "nonRenewingSubscriptions", "appPolicies", "subscriptionOffersKeyPair", "subscriptionBundleGroups",
            "subscriptionSuiteGroups",
        ] where root[key] != nil {
            return true
        }
        let products = root["products"]?.array?.compactMap(\.dictionary) ?? []
        if let groups = root["subscriptionGroups"]?.array {
            // A catalog that the command line has printed also has this key, but its groups contain `products`.
            let isPrinted = groups.contains { $0.dictionary?["products"] != nil }
            if !isPrinted, !(groups.isEmpty && products.contains { $0["productID"] == nil && $0["id"] != nil }) {
                return true
            }
        }
        return root["settings"]?.dictionary != nil || root["version"]?.dictionary?["major"] != nil
            // A list may also call its keys `productID` and `displayPrice`, but only Xcode gives products internal ids.
            || products.contains { $0["productID"] != nil && $0["internalID"] != nil }
    }

    /// Reads the configuration.
    mutating func read(_ root: DocumentValue) {
        guard let root = root.dictionary else { return }
        readSettings(root["settings"])
        let listed = ["products", "nonRenewingSubscriptions"].flatMap { root[$0]?.array ?? [] }
        let resolvable = Set(
            listed.compactMap { ($0.dictionary?["productID"] ?? $0.dictionary?["identifier"])?.string }
                .map { Product.ID(XMLText.trimmed($0)) })
        for member in root.members {
            let path = memberPath("", member.name)
            switch member.name {
            case "products": readProducts(member.value, type: nil, at: path)
            case "nonRenewingSubscriptions": readProducts(member.value, type: .nonRenewable, at: path)
            case "subscriptionGroups":
                readGroups(member.value, of: .autoRenewable, resolvable: resolvable, at: path)
            case "subscriptionBundleGroups":
                readGroups(member.value, of: .subscriptionBundle, resolvable: resolvable, at: path)
            case "subscriptionSuiteGroups":
                readGroups(member.value, of: .subscriptionSuite, resolvable: resolvable, at: path)
            default: break
            }
        }
        draft.unknown.configuration = draft.reportUnknownMembers(
            of: root, at: "", kept: Self.keptKeys, isKnown: Self.knownKeys.contains)
        for stray in groupless where !grouped.contains(stray.id) {
            let advice = "put it into the subscriptions of its group"
            if let group = stray.group {
                draft.put(stray.id, inGroup: group, isConfigured: true)
                draft.report(
                    .inferredGroup, subject: stray.id.rawValue,
                    "the subscription is outside of its group \(group); \(advice)", at: stray.path)
            } else {
                draft.report(
                    .inferredGroup, subject: stray.id.rawValue,
                    "the subscription is outside of every group and names none; \(advice)", at: stray.path)
            }
        }
    }

    private mutating func readSettings(_ value: DocumentValue?) {
        let settings = value?.dictionary
        if value != nil, settings == nil {
            draft.report(.unknownValue, "expected a dictionary; the settings were ignored", at: "settings")
        }
        draft.locale = CatalogDraft.locale(settings?["_locale"])
        guard let storefront = draft.text(settings?["_storefront"], subject: nil, at: "settings._storefront") else {
            currencyCode = "USD"
            return
        }
        currencyCode = StorefrontCurrency.code(forCountry: storefront)
        if currencyCode == nil {
            draft.report(
                .unknownValue, subject: String(storefront.prefix(40)),
                "the storefront is not known, so prices have no currency; use a code such as USA",
                at: "settings._storefront")
        }
    }

    /// Returns the elements of an array with their paths; reports a value that is not an array.
    private mutating func elements(_ value: DocumentValue, at path: String) -> [(value: DocumentValue, path: String)] {
        guard !value.isNull else { return [] }
        guard let elements = value.array else {
            draft.report(.skippedEntry, "expected an array; the value was skipped", at: path)
            return []
        }
        return elements.enumerated().map { ($1, "\(path)[\($0)]") }
    }

    private mutating func readProducts(_ value: DocumentValue, type: Product.ProductType?, at path: String) {
        for (element, path) in elements(value, at: path) {
            guard let (entry, product) = readProduct(element, defaultType: type, at: path) else { continue }
            draft.add(product)
            if product.type?.value.renews ?? false {
                let group = draft.text(
                    entry["subscriptionGroupID"], subject: product.id.rawValue, at: "\(path).subscriptionGroupID")
                groupless.append((product.id, group.map { SubscriptionGroup.ID($0) }, path))
            }
        }
    }

    /// Reads groups of subscriptions, bundles or suites.
    ///
    /// - Parameter type: The type of the entries that have no known type.
    private mutating func readGroups(
        _ value: DocumentValue, of type: Product.ProductType, resolvable: Set<Product.ID>, at path: String
    ) {
        var words: Set<SubscriptionGroup.ID> = []
        for (element, path) in elements(value, at: path) {
            guard let entry = element.dictionary else {
                draft.report(.skippedEntry, "an entry that is not a group was skipped", at: path)
                continue
            }
            let unknown = draft.reportUnknownMembers(of: entry, at: path, isKnown: Self.knownGroupKeys.contains)
            guard var group = groupHead(of: entry, at: path) else { continue }
            group.localizations = CatalogDraft.groupLocalizations(of: entry["localizations"])
            group.unknown.configuration = unknown
            if !words.insert(group.word).inserted {
                draft.report(
                    .duplicateGroup, subject: group.word.rawValue,
                    "the group is listed twice; its subscriptions are read as one group", at: path)
            }
            var isRanked = true
            var members: Set<Product.ID> = []
            for (element, path) in elements(entry["subscriptions"] ?? .null, at: "\(path).subscriptions") {
                guard
                    let (id, hasLevel) = readSubscription(
                        element, of: type, in: group.word, resolvable: resolvable, at: path)
                else { continue }
                guard members.insert(id).inserted else { continue }
                group.members.append(id)
                grouped.insert(id)
                if !hasLevel { isRanked = false }
            }
            // If every subscription has a level, the order of the subscriptions in the file has no meaning.
            if !isRanked { group.tiers = group.members.map { [$0] } }
            draft.add(group)
        }
    }

    /// Returns a group without its subscriptions; `nil`, with a diagnostic, if the group has no usable name.
    private mutating func groupHead(of entry: DocumentDictionary, at path: String) -> CatalogDraft.GroupDraft? {
        let name = draft.text(entry["name"], subject: nil, at: "\(path).name")
        let id = draft.text(entry["id"], subject: nil, at: "\(path).id").map(XMLText.trimmed)
        if let id, !id.isEmpty {
            return CatalogDraft.GroupDraft(
                word: SubscriptionGroup.ID(id), isConfigured: true, name: name)
        }
        let subscriptions = entry["subscriptions"]?.array ?? []
        let stated = subscriptions.lazy
            .compactMap { $0.dictionary?["subscriptionGroupID"]?.string }.map(XMLText.trimmed).first { !$0.isEmpty }
            .map { SubscriptionGroup.ID($0) }
        let first = subscriptions.lazy
            .compactMap { ($0.dictionary?["productID"] ?? $0.dictionary?["identifier"])?.string ?? $0.string }
            .map(XMLText.trimmed).first { !$0.isEmpty }.map { Product.ID($0) }
        return draft.unnamedGroup(
            stated: stated, name: name, first: first, at: path, isConfigured: stated != nil)
    }

    private mutating func readSubscription(
        _ element: DocumentValue, of type: Product.ProductType, in group: SubscriptionGroup.ID,
        resolvable: Set<Product.ID>, at path: String
    ) -> (id: Product.ID, hasLevel: Bool)? {
        if let text = element.string {
            guard let id = draft.productID(text, at: path) else { return nil }
            guard resolvable.contains(id) else {
                draft.report(
                    .skippedEntry, subject: id.rawValue,
                    "the file defines no product with this id; the entry was skipped",
                    at: path)
                return nil
            }
            return (id, false)
        }
        guard let (entry, product) = readProduct(element, defaultType: type, isInGroup: true, at: path)
        else { return nil }
        draft.add(product)
        if let stated = entry["subscriptionGroupID"]?.string, !stated.isEmpty, SubscriptionGroup.ID(stated) != group {
            draft.report(
                .unknownValue, subject: product.id.rawValue,
                "the subscription names another group than the one that contains it, \(group), which counts",
                at: "\(path).subscriptionGroupID")
        }
        return (product.id, product.level != nil)
    }

    /// Reads the members common to all products; returns `nil`, with a diagnostic, for an invalid or duplicate entry.
    ///
    /// - Parameter isInGroup: Whether the entry is in a group. The first entry of a product in a group is read even if
    ///   the product is also outside of the groups, because only the entry in the group tells its group.
    private mutating func readProduct(
        _ element: DocumentValue, defaultType: Product.ProductType?, isInGroup: Bool = false, at path: String
    ) -> (DocumentDictionary, CatalogDraft.ProductDraft)? {
        guard let entry = element.dictionary else {
            draft.report(.skippedEntry, "an entry that is not a product was skipped", at: path)
            return nil
        }
        var key = "productID"
        if entry[key] == nil, entry["identifier"]?.string != nil {
            key = "identifier"
            draft.report(
                .unknownKey, subject: "identifier", "identifier is read as productID; rename it",
                at: "\(path).identifier")
        }
        guard let text = entry[key]?.string else {
            draft.report(.skippedEntry, "an entry without a productID was skipped", at: path)
            return nil
        }
        guard let id = draft.productID(text, at: "\(path).\(key)") else { return nil }
        if !seen.insert(id).inserted {
            draft.report(
                .duplicateProduct, subject: id.rawValue, "the product is listed twice; the first entry counts", at: path
            )
            guard isInGroup, !grouped.contains(id) else { return nil }
        }
        let unknown = draft.reportUnknownMembers(
            of: entry, at: path, kept: StoreKitProductEntry.keptKeys, isKnown: StoreKitProductEntry.knownKeys.contains)
        var product = StoreKitProductEntry(
            entry: entry, id: id, path: path, locale: draft.locale, currencyCode: currencyCode
        ).product(defaultType: defaultType, in: &draft)
        product.unknown.configuration = unknown
        return (entry, product)
    }
}

extension CatalogDraft {
    /// Reports an unknown key, but never its value, which may be a secret.
    mutating func reportUnknownKey(_ name: String, at path: String) {
        report(
            .unknownKey, subject: String(name.prefix(80)), "the key is not known and was ignored",
            at: path)
    }

    /// Reports the members of an object whose names are not known.
    ///
    /// - Parameter kept: The names of members that are not reported, because they belong to the format, and that are
    ///   written again like unknown members, because a catalog does not use them.
    /// - Returns: The unknown members that can be written again; see ``DocumentDictionary/unknownMembers(_:)``.
    @discardableResult
    mutating func reportUnknownMembers(
        of object: DocumentDictionary, at path: String, kept: Set<String> = [], isKnown: (String) -> Bool
    ) -> [DocumentDictionary.Member] {
        let unknown = object.members.filter { !isKnown($0.name) }
        for member in unknown where !kept.contains(member.name) {
            reportUnknownKey(member.name, at: memberPath(path, member.name))
        }
        return unknown.isEmpty ? [] : object.unknownMembers(isKnown)
    }
}
