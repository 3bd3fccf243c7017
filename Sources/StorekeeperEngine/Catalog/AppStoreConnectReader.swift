import FoundationEssentials

/// Reads the products in a response of the App Store Connect API: in-app purchases, subscriptions and their groups.
///
/// - SeeAlso: Apple, "App Store Connect API: InAppPurchasesV2Response, SubscriptionsResponse, SubscriptionGroupsResponse".
struct AppStoreConnectReader {
    var draft: CatalogDraft
    private var seen: Set<Product.ID> = []
    /// The product of each resource `subscriptions`, by the id of the resource.
    private var products: [String: Product.ID] = [:]
    /// The id of the group of each resource `subscriptions`, by the id of the resource.
    private var groups: [String: String] = [:]
    private var names: [String: String] = [:]
    /// The ids of the groups and of the subscriptions, in the order of the file.
    private var groupOrder: [String] = []
    private var knownGroups: Set<String> = []
    private var subscriptionOrder: [String] = []

    /// The types of resources that describe products.
    private static let types: Set<String> = ["inAppPurchases", "subscriptions", "subscriptionGroups"]

    init(draft: CatalogDraft) { self.draft = draft }

    /// Returns whether a value is a response with products, which names the type of each resource.
    static func recognizes(_ root: DocumentValue) -> Bool {
        resources(of: root).contains { resource, _ in
            resource.dictionary.map { $0["attributes"] != nil && types.contains($0["type"]?.string ?? "") } ?? false
        }
    }

    /// Returns the requested and the included resources with their paths.
    private static func resources(of root: DocumentValue) -> [(value: DocumentValue, path: String)] {
        guard let root = root.dictionary else { return [] }
        return ["data", "included"].flatMap { key -> [(value: DocumentValue, path: String)] in
            guard let value = root[key] else { return [] }
            guard let elements = value.array else { return [(value, key)] }
            return elements.enumerated().map { ($1, "\(key)[\($0)]") }
        }
    }

    /// Reads the response; resources of other types, such as prices, are ignored.
    mutating func read(_ root: DocumentValue) {
        for (value, path) in Self.resources(of: root) {
            guard let resource = value.dictionary, let type = resource["type"]?.string,
                let attributes = resource["attributes"]?.dictionary
            else {
                draft.report(.skippedEntry, "an entry without a type and attributes was skipped", at: path)
                continue
            }
            guard Self.types.contains(type) else { continue }
            let id = resource["id"]?.string ?? ""
            let relationships = resource["relationships"]?.dictionary
            if type == "subscriptionGroups" {
                readGroup(id, attributes, relationships)
            } else {
                readProduct(type, id, attributes, relationships, at: path)
            }
        }
        // The subscriptions of one group have the group in the address of the response.
        let address = root.dictionary?["links"]?.dictionary?["self"]?.string
        let common = address.flatMap(Self.groupID(inAddress:))
        var members: [String: [Product.ID]] = [:]
        for resource in subscriptionOrder {
            guard let product = products[resource], let group = groups[resource] ?? common else { continue }
            if knownGroups.insert(group).inserted { groupOrder.append(group) }
            members[group, default: []].append(product)
        }
        for group in groupOrder {
            draft.add(
                CatalogDraft.GroupDraft(
                    word: SubscriptionGroup.ID(group), isConfigured: true, name: names[group],
                    members: members[group] ?? []))
        }
    }

    private mutating func readGroup(
        _ id: String, _ attributes: DocumentDictionary, _ relationships: DocumentDictionary?
    ) {
        guard !id.isEmpty else { return }
        if knownGroups.insert(id).inserted { groupOrder.append(id) }
        names[id] = attributes["referenceName"]?.string ?? names[id]
        for subscription in Self.identifiers(relationships?["subscriptions"]) { groups[subscription] = id }
    }

    private mutating func readProduct(
        _ resourceType: String, _ resource: String, _ attributes: DocumentDictionary,
        _ relationships: DocumentDictionary?, at path: String
    ) {
        let prefix = "\(path).attributes"
        guard let text = attributes["productId"]?.string else {
            draft.report(.skippedEntry, "an entry without attributes.productId was skipped", at: path)
            return
        }
        guard let id = draft.productID(text, at: "\(prefix).productId") else { return }
        let isSubscription = resourceType == "subscriptions"
        if isSubscription {
            products[resource] = id
            subscriptionOrder.append(resource)
            if let group = Self.identifiers(relationships?["group"]).first { groups[resource] = group }
        }
        // A response may contain the same product as requested and as included resource.
        guard seen.insert(id).inserted else { return }
        let subject = id.rawValue
        var product = CatalogDraft.ProductDraft(id: id)
        if isSubscription {
            product.type = draft.stated(.autoRenewable, at: "\(path).type")
        } else {
            product.type = draft.type(
                attributes["inAppPurchaseType"], subject: subject, at: "\(prefix).inAppPurchaseType")
        }
        product.referenceName = draft.text(
            attributes["name"] ?? attributes["referenceName"], subject: subject, at: "\(prefix).name")
        product.isFamilyShareable = draft.bool(
            attributes["familySharable"], subject: subject, at: "\(prefix).familySharable")
        product.level = draft.count(attributes["groupLevel"], subject: subject, at: "\(prefix).groupLevel").map {
            draft.stated($0, at: "\(prefix).groupLevel")
        }
        if let word = draft.text(attributes["subscriptionPeriod"], subject: subject, at: "\(prefix).subscriptionPeriod")
        {
            product.period = draft.period(
                .string(Self.periods[word] ?? word), subject: subject, at: "\(prefix).subscriptionPeriod")
        }
        draft.add(product)
    }

    private static let periods = [
        "ONE_WEEK": "P1W", "ONE_MONTH": "P1M", "TWO_MONTHS": "P2M", "THREE_MONTHS": "P3M", "SIX_MONTHS": "P6M",
        "ONE_YEAR": "P1Y",
    ]

    /// Returns the ids of the resources to which a relationship refers.
    private static func identifiers(_ relationship: DocumentValue?) -> [String] {
        guard let data = relationship?.dictionary?["data"] else { return [] }
        return (data.array ?? [data]).compactMap { $0.dictionary?["id"]?.string }
    }

    /// Returns the id in an address such as `https://…/v1/subscriptionGroups/21/subscriptions`.
    private static func groupID(inAddress address: String) -> String? {
        let parts = address.split(separator: "/")
        guard let place = parts.firstIndex(of: "subscriptionGroups"), place + 2 < parts.count,
            parts[place + 2].hasPrefix("subscriptions")
        else { return nil }
        return String(parts[place + 1])
    }
}
