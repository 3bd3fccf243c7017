import FoundationEssentials

/// The content of one catalog file before it is merged with the content of the other files.
struct CatalogDraft: Sendable {
    /// The values of one product in one file.
    struct ProductDraft: Sendable {
        var id: Product.ID
        var type: SourcedValue<Product.ProductType>?
        var level: SourcedValue<Int>?
        var displayName: String?
        /// The internal name of the product, which is used if the product has no other name.
        var referenceName: String?
        var description: String?
        var localizations: [Product.Localization] = []
        var price: Decimal?
        var currencyCode: String?
        var isFamilyShareable: Bool?
        var period: SubscriptionPeriod?
        var offers: [SubscriptionOffer] = []
        var billingPlans: [BillingPlan] = []
        var accessDuration: SubscriptionPeriod?
        var stacking: Product.Stacking?
        var grants: [BalanceID: Int64] = [:]
        /// The subscriptions that a bundle or suite contains.
        var members: [Product.ID] = []
        /// Whether a StoreKit configuration defines the product.
        ///
        /// In such a file, absent members have a known meaning. For example, a product without `familyShareable` cannot
        /// be shared with the family.
        var isConfigured = false
        var unknown = UnknownMembers()

        init(id: Product.ID) { self.id = id }

        /// Adds the values of another draft of the product that this draft lacks.
        mutating func complete(from other: ProductDraft) {
            type = type ?? other.type
            level = level ?? other.level
            displayName = displayName ?? other.displayName
            referenceName = referenceName ?? other.referenceName
            description = description ?? other.description
            if localizations.isEmpty { localizations = other.localizations }
            if price == nil {
                price = other.price
                currencyCode = other.currencyCode ?? currencyCode
            }
            isFamilyShareable = isFamilyShareable ?? other.isFamilyShareable
            period = period ?? other.period
            accessDuration = accessDuration ?? other.accessDuration
            stacking = stacking ?? other.stacking
            if offers.isEmpty { offers = other.offers }
            if billingPlans.isEmpty { billingPlans = other.billingPlans }
            if grants.isEmpty { grants = other.grants }
            if members.isEmpty { members = other.members }
            isConfigured = isConfigured || other.isConfigured
            if unknown.isEmpty { unknown = other.unknown }
        }
    }

    /// A value that may contradict another value, and its path in the file.
    struct SourcedValue<Value: Hashable & Sendable>: Sendable {
        var value: Value
        var location: String
    }

    /// The values of one group at one place of the file.
    struct GroupDraft: Sendable {
        /// The group's id, or the name or text by which a list refers to the group.
        var word: SubscriptionGroup.ID
        /// Whether ``word`` is the App Store's id, from a StoreKit configuration.
        var isConfigured = false
        var name: String?
        /// Other names that refer to the group.
        var aliases: Set<SubscriptionGroup.ID> = []
        /// The products, in the order of the file.
        var members: [Product.ID] = []
        /// The products of each service level, the highest level first; products whose order in the file has no meaning
        /// are left out.
        var tiers: [[Product.ID]] = []
        var localizations: [SubscriptionGroup.Localization] = []
        var unknown = UnknownMembers()
    }

    /// The values of one feature at one place of the file; a value that the file does not state is `nil`.
    struct FeatureDraft: Sendable {
        var id: Feature.ID
        var productIDs: [Product.ID] = []
        var paidPeriods: Bool?
        var originalVersionBefore: String?
        var originalPurchaseBefore: Instant?
    }

    /// The prefix of this file's paths in diagnostics, such as the file's name; empty if the catalog has only one file.
    let prefix: String
    let file: String
    private(set) var products: [ProductDraft] = []
    private var indexByID: [Product.ID: Int] = [:]
    /// The groups that the file describes, followed by the groups that only products of the file refer to.
    var groups: [GroupDraft] { describedGroups + namedGroups }
    private var describedGroups: [GroupDraft] = []
    private var namedGroups: [GroupDraft] = []
    private var groupByWord: [SubscriptionGroup.ID: Int] = [:]
    /// The products that refer to their group themselves.
    private var productsNamingGroup: Set<Product.ID> = []
    var features: [FeatureDraft] = []
    /// The version of the product list.
    var version: String?
    /// The language of the products' default names and descriptions.
    var locale: LocaleID?
    /// The unknown members at the top level of the file.
    var unknown = UnknownMembers()
    /// The products that occur only in features of this file.
    private(set) var namedByFeaturesOnly: Set<Product.ID> = []
    /// The products that occur only as ids in lists of subscriptions, with their places.
    private(set) var namedByGroupsOnly: [Product.ID: String] = [:]
    /// The products that occur in no other lists than those of subscriptions, which describe them.
    private var describedByGroupsOnly: Set<Product.ID> = []
    /// The product ids that the file lists without further details; a group may be inferred from such an id.
    var plainIDs: [SourcedValue<Product.ID>] = []
    private(set) var diagnostics: [Diagnostic] = []
    private var countByCode: [Diagnostic.Code: Int] = [:]

    /// The maximum number of diagnostics of one code per file; further diagnostics are only counted.
    static let maximumOfOneCode = 1000

    init(reading file: CatalogFile, prefix: String) throws(CatalogError) {
        try self.init(CatalogDocument(reading: file), file: file.name, prefix: prefix)
    }

    /// Reads the content of a document.
    ///
    /// - Parameter file: The name by which messages refer to the file.
    init(_ document: CatalogDocument, file: String, prefix: String) throws(CatalogError) {
        var draft = CatalogDraft(file: file, prefix: prefix)
        if StoreKitConfigurationReader.recognizes(document.root) {
            guard document.format == .json else {
                throw CatalogError(
                    document.format == .xmlPropertyList ? .xmlWhereJSON : .binaryWhereJSON, file: file,
                    message: "the file is a StoreKit configuration in property list format",
                    remedy: "StoreKit configurations are JSON: convert it with plutil -convert json")
            }
            var reader = StoreKitConfigurationReader(draft: draft)
            reader.read(document.root)
            draft = reader.draft
        } else if UnityCatalogueReader.recognizes(document.root) {
            var reader = UnityCatalogueReader(draft: draft)
            reader.read(document.root)
            draft = reader.draft
        } else if StoreProductReader.recognizes(document.root) {
            var reader = StoreProductReader(draft: draft)
            reader.read(document.root)
            draft = reader.draft
        } else if AppStoreConnectReader.recognizes(document.root) {
            var reader = AppStoreConnectReader(draft: draft)
            reader.read(document.root)
            draft = reader.draft
        } else {
            var reader = ProductListReader(draft: draft)
            try reader.read(document.root)
            draft = reader.draft
        }
        if draft.products.isEmpty {
            draft.report(.skippedEntry, severity: .note, subject: file, "the file defines no product", at: "")
        }
        draft.reportRest()
        self = draft
    }

    /// Creates an empty draft.
    init(file: String, prefix: String) {
        self.file = file
        self.prefix = prefix
    }

    /// Returns whether a product was already found in this file.
    func contains(_ id: Product.ID) -> Bool { indexByID[id] != nil }

    /// Records that the file contains a product; the products are in the order in which they are first recorded.
    mutating func mention(_ id: Product.ID) {
        namedByFeaturesOnly.remove(id)
        modify(id) { _ in }
    }

    /// Records that a feature refers to a product, which need not be in a product list.
    mutating func mentionInFeature(_ id: Product.ID) {
        if !contains(id) { namedByFeaturesOnly.insert(id) }
        modify(id) { _ in }
    }

    /// Returns whether the file lists or describes a product outside of features and lists of subscriptions.
    func lists(_ id: Product.ID) -> Bool { defines(id) && !describedByGroupsOnly.contains(id) }

    /// Returns whether the file lists a product outside of features and lists of subscriptions, or describes it.
    func defines(_ id: Product.ID) -> Bool {
        contains(id) && !namedByFeaturesOnly.contains(id) && namedByGroupsOnly[id] == nil
    }

    /// Records that a list of subscriptions contains the id of a product, which belongs into a list of products.
    mutating func mentionInGroup(_ id: Product.ID, at path: String) {
        guard !defines(id), namedByGroupsOnly[id] == nil else { return }
        namedByGroupsOnly[id] = location(path) ?? file
    }

    /// Records that a list of subscriptions describes a product, which needs no other list.
    mutating func describeInGroup(_ id: Product.ID) {
        if !lists(id) { describedByGroupsOnly.insert(id) }
    }

    /// Adds the values of a draft to the product with the same id, without replacing existing values.
    mutating func add(_ product: ProductDraft, isMention: Bool = false) {
        namedByFeaturesOnly.remove(product.id)
        if !isMention { namedByGroupsOnly[product.id] = nil }
        if let index = indexByID[product.id] {
            diagnostics += Diagnostic.conflicts(between: products[index], and: product, wins: "first")
        }
        modify(product.id) { $0.complete(from: product) }
    }

    /// Adds a group that the file describes.
    mutating func add(_ group: GroupDraft) {
        for id in group.members { mention(id) }
        describedGroups.append(group)
    }

    /// Returns the draft of a group without an id; the draft gets the best available value as its id.
    ///
    /// - Parameters:
    ///   - stated: The group id that one of the group's products has.
    ///   - name: The group's name.
    ///   - first: The first product of the group, which cannot be in another group.
    /// - Returns: The draft; `nil`, with a diagnostic, if all three values are absent.
    mutating func unnamedGroup(
        stated: SubscriptionGroup.ID? = nil, name: String?, first: Product.ID?, at path: String,
        isConfigured: Bool = false
    ) -> GroupDraft? {
        guard let word = stated ?? (name ?? first?.rawValue).map({ SubscriptionGroup.ID($0) }) else {
            report(.skippedEntry, "a group without id, name and products was skipped", at: path)
            return nil
        }
        let origin = stated != nil ? "its subscriptions name" : name != nil ? "is its name" : "is its first product"
        report(
            .inferredGroup, subject: word.rawValue,
            "the group has no id, so \(word) is used, which \(origin); add an id", at: path)
        return GroupDraft(word: word, isConfigured: isConfigured, name: name)
    }

    /// Adds a product without a service level to a group.
    mutating func put(_ id: Product.ID, inGroup word: SubscriptionGroup.ID, isConfigured: Bool = false) {
        productsNamingGroup.insert(id)
        if let index = groupByWord[word] {
            namedGroups[index].members.append(id)
        } else {
            groupByWord[word] = namedGroups.count
            namedGroups.append(GroupDraft(word: word, isConfigured: isConfigured, members: [id]))
        }
    }

    /// Returns whether a product refers to its group itself, but has no service level.
    func isUnranked(_ id: Product.ID) -> Bool {
        productsNamingGroup.contains(id) && indexByID[id].map { products[$0].level == nil } ?? false
    }

    /// Adds a diagnostic.
    ///
    /// - Parameter path: The path in this file, such as `products[3].displayPrice`.
    mutating func report(
        _ code: Diagnostic.Code, severity: Diagnostic.Severity? = nil, subject: String? = nil,
        _ message: String, at path: String
    ) {
        countByCode[code, default: 0] += 1
        guard countByCode[code, default: 0] <= Self.maximumOfOneCode else { return }
        diagnostics.append(
            Diagnostic(code, severity: severity, subject: subject, message: message, location: location(path)))
    }

    /// Reports the number of omitted diagnostics.
    private mutating func reportRest() {
        for (code, count) in countByCode where count > Self.maximumOfOneCode {
            diagnostics.append(
                Diagnostic(
                    code, severity: .note, subject: file,
                    message: "\(count - Self.maximumOfOneCode) more diagnostics of this kind were omitted"))
        }
    }

    /// Returns a path in this file as a location for diagnostics, which includes the file's name if necessary.
    func location(_ path: String) -> String? {
        path.isEmpty ? (prefix.isEmpty ? nil : file) : prefix + path
    }

    func stated<Value>(_ value: Value, at path: String) -> SourcedValue<Value> {
        SourcedValue(value: value, location: location(path) ?? file)
    }

    private mutating func modify(_ id: Product.ID, _ change: (inout ProductDraft) -> Void) {
        if let index = indexByID[id] {
            change(&products[index])
        } else {
            var product = ProductDraft(id: id)
            change(&product)
            indexByID[id] = products.count
            products.append(product)
        }
    }
}

extension Diagnostic {
    /// Returns warnings if a product has different types or levels at two places.
    ///
    /// - Parameter wins: The words for the place with the value that is used, such as `first` or `later file`.
    static func conflicts(
        between first: CatalogDraft.ProductDraft, and second: CatalogDraft.ProductDraft, wins: String
    ) -> [Diagnostic] {
        var found: [Diagnostic] = []
        if let one = first.type, let other = second.type, one.value != other.value {
            found.append(
                .conflict(
                    .conflictingType, of: second.id, one.value.word, at: one.location, other.value.word,
                    at: other.location, wins: wins))
        }
        if let one = first.level, let other = second.level, one.value != other.value {
            found.append(
                .conflict(
                    .conflictingLevel, of: second.id, "level \(one.value)", at: one.location,
                    "level \(other.value)", at: other.location, wins: wins))
        }
        return found
    }

    /// Returns a warning that a product has contradictory values at two places.
    static func conflict(
        _ code: Code, of id: Product.ID, _ first: String, at firstPlace: String, _ second: String,
        at secondPlace: String, wins: String
    ) -> Diagnostic {
        Diagnostic(
            code, subject: id.rawValue,
            message: "\(firstPlace) says \(first), \(secondPlace) says \(second); the \(wins) counts",
            location: secondPlace)
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII letter, digit, underscore or hyphen.
    var isNamePart: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// Returns the path of a dictionary's member, such as `settings._locale` or `Consumables["com.example.coins"]`.
func memberPath(_ path: String, _ name: String) -> String {
    let name = String(name.prefix(80))
    guard name.utf8.allSatisfy(\.isNamePart) else { return "\(path)[\"\(name)\"]" }
    return path.isEmpty ? name : "\(path).\(name)"
}

// The codes about catalogs.
extension Diagnostic.Code {
    /// A product is twice in one file.
    ///
    /// Remedy: Remove one of the entries.
    public static let duplicateProduct = Self("duplicateProduct")
    /// A subscription group is twice in one file, or the groups of `.storekit` files share a product and are read as
    /// one.
    ///
    /// Remedy: Remove one of the groups, or give them different products.
    public static let duplicateGroup = Self("duplicateGroup")
    /// The catalogs contain two service levels for one product.
    ///
    /// Of two files, the later file counts; within one file, the first level counts. As a note: a product ranks above a
    /// more expensive one with an equal period, so the levels may be upside down; level 1 is the highest service.
    ///
    /// Remedy: Give the product one level; the later file counts.
    public static let conflictingLevel = Self("conflictingLevel")
    /// A subscription group was derived from the product's name, or a group has no id.
    ///
    /// Remedy: Give the group an id.
    public static let inferredGroup = Self("inferredGroup")
    /// A feature was derived from a bundle of products.
    ///
    /// Remedy: Declare the feature under `features`.
    public static let inferredFeature = Self("inferredFeature", .note)
    /// White space around an id was removed.
    ///
    /// Remedy: Remove the white space around the id.
    public static let trimmedID = Self("trimmedID")
    /// A product has a type that this version does not know.
    ///
    /// Remedy: Use consumable, nonConsumable, nonRenewable or autoRenewable, or update Storekeeper.
    public static let unknownType = Self("unknownType")
    /// A price is not a decimal number.
    ///
    /// Remedy: Write the price as a decimal number, such as 9.99.
    public static let badPrice = Self("badPrice")
    /// A period is not an ISO 8601 duration with a single unit (only an access duration may have several units), or a
    /// non-renewing product has a `period` instead of an `accessDuration`.
    ///
    /// Remedy: Write the period as an ISO 8601 duration of one unit, such as P1M; only `accessDuration` takes several,
    /// such as P1Y2M3D.
    public static let badPeriod = Self("badPeriod")
    /// A file contains a key that this version does not know.
    ///
    /// The severity is only a note.
    ///
    /// Remedy: Check the spelling of the key; it is ignored.
    public static let unknownKey = Self("unknownKey", .note)
    /// An entry of a file is not a product, and was skipped.
    ///
    /// Remedy: Correct the entry, or remove it.
    public static let skippedEntry = Self("skippedEntry")
    /// The format of a written file cannot represent a part of the catalog.
    ///
    /// Remedy: Write this part of the catalog to a JSON file as well.
    public static let notWritten = Self("notWritten")
}
