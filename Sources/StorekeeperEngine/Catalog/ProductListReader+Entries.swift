import FoundationEssentials

/// Functions that read products from dictionaries.
extension ProductListReader {
    // The names that end in "IOS" are those of react-native-iap and expo-iap, whose `type` is also about other stores.
    private static let typeKeys = ["typeios", "type", "producttype", "kind"]
    private static let groupKeys = [
        "group", "subscriptiongroup", "subscriptiongroupid", "subscriptiongroupidios",
    ]
    private static let levelKeys = ["level", "grouplevel", "groupnumber"]
    private static let periodKeys = ["period", "subscriptionperiod", "recurringsubscriptionperiod", "duration"]
    private static let nameKeys = ["displayname", "title", "name"]
    /// The keys of the price of a product, offer or billing plan.
    ///
    /// A catalog that was printed for a language has both. In it, the value of `displayPrice` is not a number.
    static let priceKeys = ["price", "displayprice"]
    private static let currencyKeys = ["currency", "currencycode"]
    private static let shareKeys = [
        "familyshareable", "familysharable", "isfamilyshareable", "isfamilyshareableios",
    ]
    private static let periodUnitKey = "subscriptionperiodunitios"
    private static let periodCountKey = "subscriptionperiodnumberios"
    private static let infoKey = "subscriptioninfoios"
    private static let knownKeys = Set(
        [
            idKeys, typeKeys, groupKeys, levelKeys, periodKeys, nameKeys, priceKeys, currencyKeys, shareKeys,
            [
                "priceusd", "freetrial", "referencename",
                // This member is only in catalogs that the command line or the companion service has printed. It is
                // ignored, because its value is derived from other members.
                "periodtext",
            ],
            [
                periodUnitKey, periodCountKey, infoKey, "platform", "displaynameios", "titleios", "localizedprice",
                "jsonrepresentationios", "discountsios", "subscriptionoffers", "introductorypriceios",
                "introductorypriceasamountios", "introductorypricepaymentmodeios",
                "introductorypricenumberofperiodsios", "introductorypricesubscriptionperiodios", "debugdescription",
            ],
        ].joined()
    ).union(ProductListKey.folded(ProductListKey.product))

    /// Reads a product from a dictionary with an id; returns `nil` if the dictionary contains no id.
    ///
    /// An empty path means that the whole file is this dictionary. In this case, the product is added to the draft.
    ///
    /// - Parameter seen: The products that were already read from the list; for one of these products, only the id is
    ///   returned.
    mutating func readEntry(
        _ entry: DocumentDictionary, at path: String, seen: Set<Product.ID> = []
    ) throws(CatalogError) -> CatalogDraft.ProductDraft? {
        guard let member = NormalizedMembers(entry).first(Self.idKeys, where: { $0.string != nil }) else {
            skip(at: path)
            return nil
        }
        productCount += 1
        guard let id = draft.productID(member.value.string ?? "", at: memberPath(path, member.name)) else {
            return nil
        }
        if seen.contains(id) { return CatalogDraft.ProductDraft(id: id) }
        let product = try describe(id, entry, at: path)
        if path.isEmpty { draft.add(product) }
        return product
    }

    /// Returns whether a dictionary has a member that only App Store products have, such as a type, a period or a
    /// level.
    ///
    /// A name and a price are not enough, because the products of any other shop have them as well.
    static func describesProduct(_ value: DocumentValue) -> Bool {
        guard let entry = value.dictionary else { return false }
        let members = NormalizedMembers(entry)
        if let word = members.first(typeKeys)?.value.string, Product.ProductType(word: word) != nil { return true }
        for key in periodKeys {
            if let text = members[key]?.string, SubscriptionPeriod(text).isValid { return true }
        }
        if let text = members["accessduration"]?.string, SubscriptionPeriod(text).isAccessDuration { return true }
        let telling = shareKeys + ["grouplevel", "groupnumber", "subscriptiongroup", "subscriptiongroupid", "grants"]
        return members.first(telling) != nil
    }

    /// Reads the description of a product from a dictionary.
    mutating func describe(
        _ id: Product.ID, _ entry: DocumentDictionary, at path: String
    ) throws(CatalogError) -> CatalogDraft.ProductDraft {
        let members = NormalizedMembers(entry)
        func place(_ keys: [String]) -> (value: DocumentValue?, path: String) {
            let member = members.first(keys)
            return (member?.value, memberPath(path, member?.name ?? ""))
        }
        var product = CatalogDraft.ProductDraft(id: id)
        product.localizations = CatalogDraft.localizations(of: members["localizations"])
        product.unknown.list = draft.reportUnknownMembers(of: entry, at: path) {
            Self.knownKeys.contains(NormalizedMembers.folded($0))
        }
        let type = place(Self.typeKeys)
        product.type = draft.type(type.value, subject: id.rawValue, at: type.path)
        let level = place(Self.levelKeys)
        product.level = draft.count(level.value, subject: id.rawValue, at: level.path).map {
            draft.stated($0, at: level.path)
        }
        let name = place(Self.nameKeys)
        product.displayName = draft.text(name.value, subject: id.rawValue, at: name.path)
        let description = place(["description"])
        product.description = draft.text(description.value, subject: id.rawValue, at: description.path)
        let reference = place(["referencename"])
        product.referenceName = draft.text(reference.value, subject: id.rawValue, at: reference.path)
        let shareable = place(Self.shareKeys)
        product.isFamilyShareable = draft.bool(shareable.value, subject: id.rawValue, at: shareable.path)
        let period = place(Self.periodKeys)
        product.period = draft.period(period.value ?? periodOfUnits(members), subject: id.rawValue, at: period.path)
        let duration = place(["accessduration"])
        product.accessDuration = draft.period(
            duration.value, isAccess: true, subject: id.rawValue, at: duration.path)
        readPrice(members, into: &product, at: path)
        readStacking(members, into: &product, at: path)
        product.grants = try readGrants(members, of: id, at: path)
        product.members = readMembers(members, of: id, at: path)
        product.offers = readOffers(members, of: id, at: path)
        product.billingPlans = readBillingPlans(members, of: id, at: path)
        let group = place(Self.groupKeys)
        let groupOfInfo = members[Self.infoKey]?.dictionary?["subscriptionGroupId"]
        if let word = draft.text(group.value ?? groupOfInfo, subject: id.rawValue, at: group.path) {
            draft.put(id, inGroup: SubscriptionGroup.ID(word))
        }
        return product
    }

    /// Returns a period that is written as a unit and a number, such as `MONTH` and `1`.
    private func periodOfUnits(_ members: NormalizedMembers) -> DocumentValue? {
        let info = members[Self.infoKey]?.dictionary?["subscriptionPeriod"]?.dictionary
        guard let unit = members[Self.periodUnitKey]?.string ?? info?["unit"]?.string, !unit.isEmpty else {
            return nil
        }
        let count = (members[Self.periodCountKey] ?? info?["value"])?.wholeNumber ?? 1
        return .string("\(count) \(unit)")
    }

    private mutating func readPrice(
        _ members: NormalizedMembers, into product: inout CatalogDraft.ProductDraft, at path: String
    ) {
        guard let member = members.first(Self.priceKeys + ["priceusd"]) else { return }
        product.price = draft.price(member.value, subject: product.id.rawValue, at: memberPath(path, member.name))
        product.currencyCode = NormalizedMembers.folded(member.name) == "priceusd" ? "USD" : nil
        guard let currency = members.first(Self.currencyKeys) else { return }
        let currencyPath = memberPath(path, currency.name)
        guard let code = draft.text(currency.value, subject: product.id.rawValue, at: currencyPath)?.uppercased() else {
            return
        }
        guard code.utf8.count == 3, code.utf8.allSatisfy({ (65...90).contains($0) }) else {
            draft.report(
                .unknownValue, subject: product.id.rawValue, "the currency is not an ISO 4217 code; write it like USD",
                at: currencyPath)
            return
        }
        product.currencyCode = code
    }

    private mutating func readStacking(
        _ members: NormalizedMembers, into product: inout CatalogDraft.ProductDraft, at path: String
    ) {
        guard let member = members.first(["stacking"]) else { return }
        let path = memberPath(path, member.name)
        guard let word = draft.text(member.value, subject: product.id.rawValue, at: path) else { return }
        product.stacking = Product.Stacking(rawValue: word.lowercased())
        if product.stacking == nil {
            draft.report(.unknownValue, subject: product.id.rawValue, "stacking is parallel or extend", at: path)
        }
    }

    /// Reads the ids of the subscriptions that a bundle or suite contains.
    private mutating func readMembers(
        _ members: NormalizedMembers, of id: Product.ID, at path: String
    ) -> [Product.ID] {
        guard let member = members.first(["members"]) else { return [] }
        return draft.members(member.value, of: id, at: memberPath(path, member.name))
    }

    /// Reads a product's grants.
    ///
    /// An invalid number of units is an error, because a purchase would otherwise credit a different amount than the
    /// file states.
    private mutating func readGrants(
        _ members: NormalizedMembers, of id: Product.ID, at path: String
    ) throws(CatalogError) -> [BalanceID: Int64] {
        guard let member = members.first(["grants"]) else { return [:] }
        let path = memberPath(path, member.name)
        var grants: [BalanceID: Int64] = [:]
        for grant in member.value.dictionary?.members ?? [] {
            guard case .number = grant.value, let amount = grant.value.wholeNumber, amount > 0,
                amount <= Self.maximumGrant, !grant.name.isEmpty
            else { throw badGrants(of: id, at: memberPath(path, grant.name)) }
            grants[BalanceID(grant.name)] = amount
        }
        guard member.value.dictionary != nil else { throw badGrants(of: id, at: path) }
        return grants
    }

    /// The maximum number of units that one purchase may grant, so that the sum of a customer's entries cannot
    /// overflow.
    static var maximumGrant: Int64 { 1_000_000_000_000 }

    private func badGrants(of id: Product.ID, at path: String) -> CatalogError {
        CatalogError(
            .badGrants, file: draft.file,
            message: "the grant of \(id) is not a whole number from 1 to \(Self.maximumGrant)", location: path,
            remedy: "write grants like {\"coins\": 500}")
    }
}
