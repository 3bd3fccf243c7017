/// Functions that read the features of a list.
extension ProductListReader {
    /// Reads features from a dictionary of names, or from an array of dictionaries with `id` and `products`.
    ///
    /// In a dictionary of names, the value of a feature is a product, a list of products, or a dictionary with the list
    /// and the feature's conditions.
    mutating func readFeatures(_ value: DocumentValue, at path: String) {
        if let dictionary = value.dictionary {
            for member in dictionary.members {
                let path = memberPath(path, member.name)
                if let long = member.value.dictionary {
                    readFeature(member.name, long, at: path)
                } else {
                    readFeature(member.name, products: member.value, at: path)
                }
            }
        }
        for (index, element) in (value.array ?? []).enumerated() {
            let path = "\(path)[\(index)]"
            let members = element.dictionary.map { NormalizedMembers($0) }
            guard let name = members?.first(["id", "name"], where: { $0.string != nil })?.value.string,
                let long = element.dictionary
            else {
                skip(at: path)
                continue
            }
            readFeature(name, long, at: path)
        }
    }

    private static let knownFeatureKeys = ProductListKey.folded(ProductListKey.feature).union(["id", "name"])
    private static let conditionKeys: Set<String> = ["paidperiods", "originalversionbefore", "originalpurchasebefore"]

    /// Reads a feature in its long form, with its products and its conditions.
    private mutating func readFeature(_ name: String, _ dictionary: DocumentDictionary, at path: String) {
        let members = NormalizedMembers(dictionary)
        let names = Set(dictionary.members.map { NormalizedMembers.folded($0.name) })
        guard members["products"] != nil || !names.isDisjoint(with: Self.conditionKeys) else {
            skip(at: path)
            return
        }
        guard
            let index = readFeature(
                name, products: members["products"] ?? .array([]),
                at: members["products"] == nil ? path : "\(path).products")
        else { return }
        draft.features[index].paidPeriods = paidPeriods(members, at: path)
        draft.features[index].originalVersionBefore = originalVersion(members, at: path)
        draft.features[index].originalPurchaseBefore = originalPurchase(members, at: path)
        for member in dictionary.members where !Self.knownFeatureKeys.contains(NormalizedMembers.folded(member.name)) {
            draft.reportUnknownKey(member.name, at: memberPath(path, member.name))
        }
    }

    private mutating func paidPeriods(_ members: NormalizedMembers, at path: String) -> Bool? {
        guard let member = members.first(["paidperiods"]) else { return nil }
        guard case .bool(let flag) = member.value else {
            reportCondition(member, "true or false", at: path)
            return nil
        }
        return flag
    }

    private mutating func originalVersion(_ members: NormalizedMembers, at path: String) -> String? {
        guard let member = members.first(["originalversionbefore"]) else { return nil }
        let text: String? =
            switch member.value {
            case .string(let text), .number(let text): XMLText.trimmed(text)
            default: nil
            }
        guard let text, AppVersion(text) != nil else {
            reportCondition(member, "a version, which is numbers separated by dots, such as \"2.0\"", at: path)
            return nil
        }
        return text
    }

    private mutating func originalPurchase(_ members: NormalizedMembers, at path: String) -> Instant? {
        guard let member = members.first(["originalpurchasebefore"]) else { return nil }
        let instant: Instant? =
            switch member.value {
            case .string(let text), .number(let text): Instant(XMLText.trimmed(text))
            default: nil
            }
        if instant == nil {
            reportCondition(member, "a day or a time in UTC, such as \"2025-03-01\"", at: path)
        }
        return instant
    }

    /// Reports a condition that cannot be read; the condition then unlocks nothing.
    private mutating func reportCondition(_ member: DocumentDictionary.Member, _ expected: String, at path: String) {
        draft.report(
            .skippedEntry, "expected \(expected); the condition was skipped", at: memberPath(path, member.name))
    }

    /// Reads the products of a feature.
    ///
    /// - Returns: The index of the feature in the draft; `nil` if the value was skipped.
    @discardableResult
    private mutating func readFeature(_ name: String, products value: DocumentValue, at path: String) -> Int? {
        let name = XMLText.trimmed(name)
        guard !name.isEmpty, !value.isNull else {
            skip(at: path)
            return nil
        }
        var ids: [Product.ID] = []
        let isList = value.array != nil
        for (index, element) in (value.array ?? [value]).enumerated() {
            let path = isList ? "\(path)[\(index)]" : path
            guard let text = element.string else {
                skip(at: path)
                continue
            }
            productCount += 1
            guard let id = draft.productID(text, at: path) else { continue }
            draft.mentionInFeature(id)
            ids.append(id)
        }
        draft.features.append(CatalogDraft.FeatureDraft(id: Feature.ID(name), productIDs: ids))
        return draft.features.count - 1
    }
}
