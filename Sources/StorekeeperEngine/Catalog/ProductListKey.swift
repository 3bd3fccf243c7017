/// A key of this project's own list of products.
///
/// The reader knows these keys, and ``ProductListSchema`` describes them. The reader also knows other names of them, and
/// the keys of other formats.
struct ProductListKey: Sendable {
    /// The name as it is documented and written; the reader ignores its case and punctuation.
    let name: String
    /// The JSON schema of the value.
    let schema: [String: JSONText]
    /// The meaning, as a sentence.
    let meaning: String
    /// Whether the reader skips an object without the key.
    var isRequired = false

    init(_ name: String, _ schema: [String: JSONText], _ meaning: String, isRequired: Bool = false) {
        self.name = name
        self.schema = schema
        self.meaning = meaning
        self.isRequired = isRequired
    }

    /// Returns the names of keys as the reader compares them.
    static func folded(_ keys: [ProductListKey]) -> Set<String> {
        Set(keys.map { NormalizedMembers.folded($0.name) })
    }
}

/// The keys of each kind of object.
extension ProductListKey {
    /// The keys of the whole list.
    static let list: [ProductListKey] = [
        ProductListKey("$schema", text, "The address of this schema, for editors."),
        ProductListKey("version", ["type": words(["string", "number"])], "The version of the list."),
        ProductListKey("locale", text, "The language of the names and descriptions, such as en_US."),
        ProductListKey("products", array(either([text, reference("product")])), "The products, or only their ids."),
        ProductListKey("subscriptions", array(reference("group")), "The subscription groups."),
        ProductListKey(
            "features",
            [
                "type": .string("object"),
                "additionalProperties": .object(either([text, array(text), reference("feature")])),
            ],
            "The features that the app checks, by name, each with the ids of the products that unlock it."),
    ]

    /// The keys of a product.
    static let product: [ProductListKey] = [
        ProductListKey("id", text, "The product id of App Store Connect.", isRequired: true),
        ProductListKey("type", choice(Product.ProductType.catalogTypes.map(\.word).sorted()), "The type."),
        ProductListKey("displayName", text, "The name that customers see."),
        ProductListKey("description", text, "The description that customers see."),
        ProductListKey("localizations", array(reference("texts")), "The texts in all languages."),
        ProductListKey("price", price, "The price in units of the currency, such as 9.99."),
        ProductListKey("currency", text, "The ISO 4217 code of the currency, such as USD."),
        ProductListKey("familyShareable", flag, "Whether a purchase can be shared with the family."),
        ProductListKey("group", text, "The id or name of the subscription group."),
        ProductListKey("level", count, "The level of service in the group; 1 is the highest."),
        ProductListKey("period", text, "The length of one subscription period, such as P1M."),
        ProductListKey("billingPlans", array(reference("billingPlan")), "The ways to pay for the subscription."),
        ProductListKey("offers", array(reference("offer")), "The offers of all kinds."),
        ProductListKey(
            "accessDuration", text,
            "The duration of the access that a non-renewing product gives, such as P90D; without it access has no end."),
        ProductListKey(
            "stacking", choice(["extend", "parallel"]),
            "Whether several purchases of a non-renewing product extend each other; the default is parallel."),
        ProductListKey("members", array(text), "The ids of the subscriptions that a bundle or suite contains."),
        ProductListKey(
            "grants",
            [
                "type": .string("object"),
                "additionalProperties": .object([
                    "type": .string("integer"), "minimum": .integer(1),
                    "maximum": .integer(ProductListReader.maximumGrant),
                ]),
            ],
            "The units that a purchase of a consumable adds to each balance; without it 1 unit of the product's id."),
    ]

    /// The keys of an offer.
    static let offer: [ProductListKey] = [
        ProductListKey(
            "kind", choice(["code", "introductory", "promotional", "winBack"]), "The kind.", isRequired: true),
        ProductListKey("id", text, "The id; an introductory offer has none."),
        ProductListKey(
            "paymentMode", choice(SubscriptionOffer.PaymentMode.allCases.map(\.rawValue).sorted()),
            "How the customer pays during the offer."),
        ProductListKey("period", text, "The length of one period of the offer, such as P1W."),
        ProductListKey("periodCount", count, "The number of periods; the default is 1."),
        ProductListKey("price", price, "The price of one period in units of the product's currency."),
        ProductListKey("billingPlan", text, "The billing plan to which the offer belongs: upFront or monthly."),
        ProductListKey(
            "eligibility", array(choice(SubscriptionOffer.CustomerEligibility.allCases.map(\.word).sorted())),
            "The customers who may use an offer code."),
        ProductListKey("stackable", flag, "Whether an offer code may follow an introductory offer."),
        ProductListKey("eligible", flag, "Whether a test grants a win-back offer."),
    ]

    /// The keys of a billing plan.
    static let billingPlan: [ProductListKey] = [
        ProductListKey("type", text, "The plan: upFront or monthly.", isRequired: true),
        ProductListKey("price", price, "The price of one payment in units of the product's currency."),
        ProductListKey("commitmentPrice", price, "The price of the whole commitment."),
        ProductListKey("enabled", flag, "Whether the plan is offered; the default is true."),
    ]

    /// The keys of the texts of a product in one language.
    static let texts: [ProductListKey] = [
        ProductListKey("locale", text, "The language, such as de or en_US.", isRequired: true),
        ProductListKey("displayName", text, "The name that customers see."),
        ProductListKey("description", text, "The description that customers see."),
    ]

    /// The keys of the texts of a group in one language.
    static let groupTexts: [ProductListKey] = [
        ProductListKey("locale", text, "The language, such as de or en_US.", isRequired: true),
        ProductListKey("displayName", text, "The name that customers see."),
        ProductListKey("customAppName", text, "The name of the app that customers see next to the group."),
        ProductListKey("description", text, "The description of the group in a StoreKit configuration."),
    ]

    /// The keys of a subscription group.
    static let group: [ProductListKey] = [
        ProductListKey("group", text, "The id, or the name if the App Store's id is not known."),
        ProductListKey("name", text, "The name."),
        ProductListKey("aliases", array(text), "Other ids and names of the group."),
        ProductListKey("localizations", array(reference("groupTexts")), "The texts in all languages."),
        ProductListKey(
            "products",
            array(either([text, reference("product"), array(either([text, reference("product")]))])),
            "The products, highest service first; a nested list holds products of one level.", isRequired: true),
    ]

    /// The keys of the long form of a feature.
    static let feature: [ProductListKey] = [
        ProductListKey("products", either([text, array(text)]), "The ids of the products that unlock the feature."),
        ProductListKey("paidPeriods", flag, "Whether a period with a free trial does not unlock the feature."),
        ProductListKey(
            "originalVersionBefore", ["type": words(["string", "number"])],
            "Who got the app before this version has the feature."),
        ProductListKey(
            "originalPurchaseBefore", ["type": words(["string", "number"])],
            "Who got the app before this day or time has the feature, such as 2025-03-01."),
    ]

    // MARK: Schemas of values

    private static let text: [String: JSONText] = ["type": .string("string")]
    private static let flag: [String: JSONText] = ["type": .string("boolean")]
    private static let price: [String: JSONText] = ["type": words(["string", "number"])]
    private static let count: [String: JSONText] = [
        "type": .string("integer"), "minimum": .integer(1), "maximum": .integer(1_000_000),
    ]

    private static func words(_ words: [String]) -> JSONText { .array(words.map(JSONText.string)) }

    private static func choice(_ choices: [String]) -> [String: JSONText] { ["enum": words(choices)] }

    private static func array(_ element: [String: JSONText]) -> [String: JSONText] {
        ["type": .string("array"), "items": .object(element)]
    }

    private static func either(_ forms: [[String: JSONText]]) -> [String: JSONText] {
        ["anyOf": .array(forms.map(JSONText.object))]
    }

    private static func reference(_ name: String) -> [String: JSONText] { ["$ref": .string("#/$defs/\(name)")] }
}

/// The JSON schema of this project's own list of products, for editors and other programs.
///
/// A list in another format, or with other names of the keys, is read as well, but the schema does not allow it.
package enum ProductListSchema {
    /// The schema.
    package static var json: JSONText {
        var schema = object(ProductListKey.list)
        schema["$schema"] = .string("https://json-schema.org/draft/2020-12/schema")
        schema["title"] = .string("A list of products for storekeeper")
        schema["$defs"] = .object([
            "product": .object(object(ProductListKey.product)), "offer": .object(object(ProductListKey.offer)),
            "billingPlan": .object(object(ProductListKey.billingPlan)), "texts": .object(object(ProductListKey.texts)),
            "groupTexts": .object(object(ProductListKey.groupTexts)), "group": .object(object(ProductListKey.group)),
            "feature": .object(object(ProductListKey.feature)),
        ])
        return .object(schema)
    }

    private static func object(_ keys: [ProductListKey]) -> [String: JSONText] {
        var properties: [String: JSONText] = [:]
        for key in keys {
            var schema = key.schema
            schema["description"] = .string(key.meaning)
            properties[key.name] = .object(schema)
        }
        let required = keys.filter(\.isRequired).map { JSONText.string($0.name) }
        return [
            "type": .string("object"), "additionalProperties": .bool(false), "properties": .object(properties),
            "required": required.isEmpty ? .null : .array(required),
        ]
    }
}
