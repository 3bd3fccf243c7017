/// Functions that read the subscription groups of a list.
extension ProductListReader {
    /// Reads subscriptions: an array of groups and single subscriptions, or MKStoreKit's dictionary from ids to numbers
    /// of days.
    ///
    /// - Parameter isPrinted: Whether the groups are those of a catalog that the command line or the companion service
    ///   has printed.
    mutating func readSubscriptions(_ value: DocumentValue, isPrinted: Bool, at path: String) throws(CatalogError) {
        if let dictionary = value.dictionary {
            for member in dictionary.members {
                let path = memberPath(path, member.name)
                if let list = member.value.array {
                    try readGroup(
                        CatalogDraft.GroupDraft(word: SubscriptionGroup.ID(member.name)), list: list, at: path)
                } else {
                    readSubscriptionDays(member, at: path)
                }
            }
            return
        }
        var words: Set<SubscriptionGroup.ID> = []
        var single: Set<Product.ID> = []
        for (index, element) in (value.array ?? []).enumerated() {
            let path = "\(path)[\(index)]"
            if let entry = element.dictionary, let (head, list, listPath) = groupHead(of: entry, at: path) {
                guard let group = head else { continue }
                if !words.insert(group.word).inserted {
                    draft.report(
                        .duplicateGroup, subject: group.word.rawValue,
                        "the group is listed twice; its subscriptions are read as one group", at: path)
                }
                try readGroup(group, list: list, isPrinted: isPrinted, at: listPath)
            } else if let product = try readMember(element, at: path) {
                var product = product
                product.type = product.type ?? draft.stated(.autoRenewable, at: path)
                add(product, of: element, isPrinted: isPrinted, at: path)
                if commonGroup != nil, single.insert(product.id).inserted {
                    commonGroup?.members.append(product.id)
                    commonGroup?.tiers.append([product.id])
                }
            }
        }
    }

    private static let knownGroupKeys = ProductListKey.folded(ProductListKey.group).union([
        "subscriptions", "id", "groupname", "displayname",
    ])

    private mutating func groupHead(
        of entry: DocumentDictionary, at path: String
    ) -> (group: CatalogDraft.GroupDraft?, list: [DocumentValue], path: String)? {
        let members = NormalizedMembers(entry)
        guard let list = members.first(["products", "subscriptions"], where: { $0.array != nil }) else { return nil }
        let name = members["name"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        let word = members.first(["group", "id", "groupname"], where: { $0.string?.isEmpty == false })?.value.string
        let elements = list.value.array ?? []
        let listPath = memberPath(path, list.name)
        let unknown = draft.reportUnknownMembers(of: entry, at: path) {
            Self.knownGroupKeys.contains(NormalizedMembers.folded($0))
        }
        var group: CatalogDraft.GroupDraft
        if let known = (word ?? name).map({ SubscriptionGroup.ID($0) }) {
            group = CatalogDraft.GroupDraft(word: known, name: word == nil ? nil : name)
        } else {
            let first = elements.lazy.compactMap { ($0.array?.first ?? $0) }.compactMap(Self.statedID).first
            guard let unnamed = draft.unnamedGroup(name: nil, first: first, at: path) else {
                return (nil, elements, listPath)
            }
            group = unnamed
        }
        for (index, alias) in (members["aliases"]?.array ?? []).enumerated() {
            if let alias = draft.text(alias, subject: group.word.rawValue, at: "\(path).aliases[\(index)]") {
                group.aliases.insert(SubscriptionGroup.ID(alias))
            }
        }
        group.localizations = CatalogDraft.groupLocalizations(of: members["localizations"])
        group.unknown.list = unknown
        return (group, elements, listPath)
    }

    /// Returns the product id of a list's element, without reading the element's other members.
    private static func statedID(_ element: DocumentValue) -> Product.ID? {
        let text =
            element.string
            ?? element.dictionary.flatMap {
                NormalizedMembers($0).first(idKeys, where: { $0.string != nil })?.value.string
            }
        return text.map(XMLText.trimmed).flatMap { $0.isEmpty ? nil : Product.ID($0) }
    }

    /// Reads a group's products, the highest level of service first; a nested list contains the products of one level.
    private mutating func readGroup(
        _ group: CatalogDraft.GroupDraft, list: [DocumentValue], isPrinted: Bool = false, at path: String
    ) throws(CatalogError) {
        var group = group
        var seen: Set<Product.ID> = []
        for (index, element) in list.enumerated() {
            let path = "\(path)[\(index)]"
            let nested = element.array?.enumerated().map { (value: $1, path: "\(path)[\($0)]") }
            var tier: [Product.ID] = []
            for (value, path) in nested ?? [(element, path)] {
                guard let product = try readMember(value, at: path) else { continue }
                guard seen.insert(product.id).inserted else {
                    reportDuplicate(product.id, at: path)
                    continue
                }
                add(product, of: value, isPrinted: isPrinted, at: path)
                tier.append(product.id)
            }
            // A printed group also lists its products without a level, which its order must not give them.
            let ranked = isPrinted ? tier.filter { !draft.isUnranked($0) } : tier
            if !ranked.isEmpty { group.tiers.append(ranked) }
            group.members += tier
        }
        draft.add(group)
    }

    /// Adds a product of a list of subscriptions, which contains its description or only its id.
    private mutating func add(
        _ product: CatalogDraft.ProductDraft, of element: DocumentValue, isPrinted: Bool, at path: String
    ) {
        // Nobody has typed the ids in the groups of a printed catalog, so they are not searched for errors.
        let isMention = element.string != nil && !isPrinted
        if isMention {
            draft.mentionInGroup(product.id, at: path)
        } else {
            draft.describeInGroup(product.id)
        }
        draft.add(product, isMention: isMention)
    }

    /// Reads a product of a group from an id, or from a dictionary with an id.
    private mutating func readMember(
        _ element: DocumentValue, at path: String
    ) throws(CatalogError) -> CatalogDraft.ProductDraft? {
        if let text = element.string {
            productCount += 1
            return draft.productID(text, at: path).map { CatalogDraft.ProductDraft(id: $0) }
        }
        guard let entry = element.dictionary else {
            skip(at: path)
            return nil
        }
        return try readEntry(entry, at: path)
    }
}
