/// Reads a product list in this project's format or the format of StoreHelper or MKStoreKit, or a plain list of ids.
///
/// Keys are compared without regard to case and punctuation. A file that describes something else is refused, even if
/// its name is that of a product list. For example, the catalog of another shop is not read as a product list.
struct ProductListReader {
    var draft: CatalogDraft
    /// The number of list entries that are products, including entries with an empty id.
    var productCount = 0
    /// The number of list entries that are not products.
    var otherCount = 0
    /// The group of the subscriptions that the list does not put into a group.
    var commonGroup: CatalogDraft.GroupDraft?

    static let idKeys = ["productid", "productidentifier", "id", "identifier"]
    private static let storeHelperTexts: Set<String> = [
        "appgroupbundleid", "contactusurl", "requestrefundurl", "restorepurchasesbuttontext", "termsofserviceurl",
        "privacypolicyurl", "redeemoffercodebuttontext", "refreshproductsbuttontext",
    ]
    private static let sectionKeys: Set<String> = [
        "products", "subscriptions", "subscriptiongroups", "features", "consumables", "nonconsumables",
        "nonconsumablesbatch", "others",
    ]
    private static let knownKeys: Set<String> = sectionKeys.union(ProductListKey.folded(ProductListKey.list)).union([
        "sharedsecret", "subscriptiongroup", "identifier", "diagnostics",
    ])

    init(draft: CatalogDraft) { self.draft = draft }

    /// Reads the product list from a file's content.
    ///
    /// - Throws: ``CatalogError`` with `noProductList` for a value that is not a product list, and with `badGrants` for
    ///   invalid grants.
    mutating func read(_ root: DocumentValue) throws(CatalogError) {
        switch root {
        case .array(let elements):
            try readList(elements, at: "")
            guard productCount > 0 || elements.isEmpty else { throw noProductList(root) }
        case .dictionary(let dictionary):
            try readDictionary(dictionary)
            guard productCount > 0 || otherCount == 0 else { throw noProductList(root) }
        default: throw noProductList(root)
        }
    }

    private mutating func readDictionary(_ root: DocumentDictionary) throws(CatalogError) {
        guard !root.members.isEmpty else { return }
        let names = Set(root.members.map { NormalizedMembers.folded($0.name) })
        if names.contains(where: Self.sectionKeys.contains), try readSections(root) { return }
        guard names.isDisjoint(with: Self.storeHelperTexts) else { throw noProductList(.dictionary(root)) }
        if NormalizedMembers(root).first(Self.idKeys, where: { $0.string != nil }) != nil {
            _ = try readEntry(root, at: "")
        } else if root.members.allSatisfy({ $0.value.string != nil }) {
            readTexts(root, at: "")
        } else if root.members.allSatisfy({ $0.value.dictionary != nil }),
            root.members.contains(where: { Self.isDotted($0.name) || Self.describesProduct($0.value) }),
            root.members.allSatisfy({ !$0.name.contains(where: \.isWhitespace) })
        {
            try readEntries(root, type: nil, at: "")
        } else {
            throw noProductList(.dictionary(root))
        }
    }

    // MARK: Sections

    /// Reads a dictionary that contains several lists, such as `products` and `features`.
    ///
    /// - Returns: Whether at least one member of the dictionary is a list with a known name.
    private mutating func readSections(_ root: DocumentDictionary) throws(CatalogError) -> Bool {
        var later: [(name: String, member: DocumentDictionary.Member)] = []
        var isKnown = false
        readCommonGroup(root)
        let members = NormalizedMembers(root)
        draft.version = Self.version(members["version"])
        draft.locale = CatalogDraft.locale(members["locale"])
        // The reference to the schema has no meaning here, and is written again.
        let unknown = root.unknownMembers {
            let name = NormalizedMembers.folded($0)
            return name != "schema" && Self.knownKeys.contains(name)
        }
        for member in root.members {
            let name = NormalizedMembers.folded(member.name)
            let path = memberPath("", member.name)
            let hasList = member.value.array != nil || member.value.dictionary != nil || member.value.isNull
            guard Self.sectionKeys.contains(name), hasList else {
                if Self.sectionKeys.contains(name) {
                    draft.report(.skippedEntry, "expected a list; the value was skipped", at: path)
                } else if !Self.knownKeys.contains(name) {
                    draft.reportUnknownKey(member.name, at: path)
                }
                continue
            }
            isKnown = true
            switch name {
            case "products": try readSection(member.value, type: nil, at: path)
            case "consumables": try readConsumables(member.value, at: path)
            case "nonconsumables": try readSection(member.value, type: .nonConsumable, at: path)
            case "others": try readSection(member.value, type: nil, at: path)
            case "nonconsumablesbatch": readBatches(member.value, at: path)
            // Lists that only refer to products are read after the lists that define the products.
            default: later.append((name, member))
            }
        }
        for (name, member) in later {
            let path = memberPath("", member.name)
            if name == "features" {
                readFeatures(member.value, at: path)
            } else {
                try readSubscriptions(member.value, isPrinted: name == "subscriptiongroups", at: path)
            }
        }
        if let group = commonGroup, !group.members.isEmpty { draft.add(group) }
        if isKnown { draft.unknown.list = unknown }
        return isKnown
    }

    /// Returns the version of a list, which may be a text or a number.
    private static func version(_ value: DocumentValue?) -> String? {
        switch value {
        case .string(let text)?: text.isEmpty ? nil : text
        case .number(let text)?: text
        default: nil
        }
    }

    /// Reads the group that the file describes outside of the list of subscriptions.
    private mutating func readCommonGroup(_ root: DocumentDictionary) {
        guard let value = NormalizedMembers(root)["subscriptiongroup"] else { return }
        if let entry = value.dictionary {
            let name = entry["name"]?.string.flatMap { $0.isEmpty ? nil : $0 }
            let word = entry["id"]?.string ?? name ?? entry["referenceName"]?.string ?? "subscriptionGroup"
            let isNamed = name.map { SubscriptionGroup.ID($0) } != SubscriptionGroup.ID(word)
            commonGroup = CatalogDraft.GroupDraft(word: SubscriptionGroup.ID(word), name: isNamed ? name : nil)
        } else if let word = value.string, !word.isEmpty {
            commonGroup = CatalogDraft.GroupDraft(word: SubscriptionGroup.ID(word))
        }
    }

    mutating func readSection(
        _ value: DocumentValue, type: Product.ProductType?, at path: String
    ) throws(CatalogError) {
        if let elements = value.array {
            try readList(elements, type: type, at: path)
        } else if let dictionary = value.dictionary {
            try readEntries(dictionary, type: type, at: path)
        }
    }

    /// Reads a list that contains ids, or dictionaries that describe products.
    private mutating func readList(
        _ elements: [DocumentValue], type: Product.ProductType? = nil, at path: String
    ) throws(CatalogError) {
        var seen: Set<Product.ID> = []
        for (index, element) in elements.enumerated() {
            let path = "\(path)[\(index)]"
            var product: CatalogDraft.ProductDraft?
            if let text = element.string {
                productCount += 1
                product = draft.productID(text, at: path).map { CatalogDraft.ProductDraft(id: $0) }
                if let id = product?.id, type == nil { draft.plainIDs.append(draft.stated(id, at: path)) }
            } else if let entry = element.dictionary {
                product = try readEntry(entry, at: path, seen: seen)
            } else {
                skip(at: path)
            }
            guard var product else { continue }
            guard seen.insert(product.id).inserted else {
                reportDuplicate(product.id, at: path)
                continue
            }
            product.type = product.type ?? type.map { draft.stated($0, at: path) }
            draft.add(product)
        }
    }

    /// Reads a dictionary in which the keys are product ids, and the values are descriptions or labels.
    private mutating func readEntries(
        _ dictionary: DocumentDictionary, type: Product.ProductType?, at path: String
    ) throws(CatalogError) {
        if !dictionary.members.isEmpty, dictionary.members.allSatisfy({ $0.value.string != nil }) {
            readTexts(dictionary, type: type, at: path)
            return
        }
        for member in dictionary.members {
            let path = memberPath(path, member.name)
            productCount += 1
            guard let id = draft.productID(member.name, at: path) else { continue }
            var product = CatalogDraft.ProductDraft(id: id)
            if let entry = member.value.dictionary { product = try describe(id, entry, at: path) }
            product.type = product.type ?? type.map { draft.stated($0, at: path) }
            draft.add(product)
        }
    }

    /// Reads a dictionary that maps product ids to labels, or labels to product ids.
    ///
    /// Usually the keys are the ids. If all values look like dotted ids and at least one key does not, the values are
    /// the ids.
    private mutating func readTexts(
        _ dictionary: DocumentDictionary, type: Product.ProductType? = nil, at path: String
    ) {
        let members = dictionary.members
        let isFromLabels =
            members.allSatisfy { Self.isDotted($0.value.string ?? "") }
            && !members.allSatisfy { Self.isDotted($0.name) }
        var entries = members.map { (text: isFromLabels ? $0.value.string ?? "" : $0.name, name: $0.name) }
        if !dictionary.isOrdered { entries.sort { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) } }
        var seen: Set<Product.ID> = []
        for (text, name) in entries {
            let path = memberPath(path, name)
            productCount += 1
            guard let id = draft.productID(text, at: path) else { continue }
            guard seen.insert(id).inserted else {
                reportDuplicate(id, at: path)
                continue
            }
            var product = CatalogDraft.ProductDraft(id: id)
            product.type = type.map { draft.stated($0, at: path) }
            draft.add(product)
        }
    }

    // MARK: Faults

    mutating func reportDuplicate(_ id: Product.ID, at path: String) {
        draft.report(
            .duplicateProduct, subject: id.rawValue, "the product is listed twice; the first entry counts", at: path)
    }

    /// Skips an entry that is not a product.
    mutating func skip(at path: String) {
        otherCount += 1
        draft.report(.skippedEntry, "an entry that is not a product was skipped", at: path)
    }

    /// Returns whether a text looks like an id of several parts, such as `com.example.coins`.
    static func isDotted(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count > 1
            && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isNamePart) }
    }

    /// Returns the error for a well-formed file that is not a product list; its message contains keys, but never a
    /// value.
    private func noProductList(_ root: DocumentValue) -> CatalogError {
        let what: String
        switch root {
        case .dictionary(let dictionary):
            let names = dictionary.members.prefix(12).map { "\"\($0.name.prefix(40))\"" }.joined(separator: ", ")
            let rest = dictionary.members.count > 12 ? ", …" : ""
            what = "not a product list; the top-level keys are \(names)\(rest)"
        case .array: what = "not a product list; no element is a product id or has one"
        default: what = "not a product list; the file is a single value"
        }
        return CatalogError(
            .noProductList, file: draft.file, message: what,
            remedy: "list the products under \"products\", or name another file")
    }
}
