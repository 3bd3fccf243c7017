/// Functions that read the sections that only MKStoreKit's lists have.
extension ProductListReader {
    /// Reads consumables from a list of ids, or from a dictionary of ids, each with the wallet and the amount that a
    /// purchase credits.
    mutating func readConsumables(_ value: DocumentValue, at path: String) throws(CatalogError) {
        guard let dictionary = value.dictionary else {
            try readSection(value, type: .consumable, at: path)
            return
        }
        for member in dictionary.members {
            let path = memberPath(path, member.name)
            productCount += 1
            guard let id = draft.productID(member.name, at: path) else { continue }
            var product = CatalogDraft.ProductDraft(id: id)
            product.type = draft.stated(.consumable, at: path)
            if member.value.isNumber {
                product.grants = grants(member.value, to: id.rawValue, of: id, at: path)
            } else if let entry = member.value.dictionary {
                let members = NormalizedMembers(entry)
                // The name is not a product's name, but the name of a wallet, which several products may credit.
                let wallet = members.first(["consumableid", "name"])?.value.string.map(XMLText.trimmed) ?? ""
                if let count = members.first(["consumablecount", "count"]) {
                    product.grants = grants(
                        count.value, to: wallet.isEmpty ? id.rawValue : wallet, of: id, at: memberPath(path, count.name)
                    )
                } else if !wallet.isEmpty {
                    product.grants = [BalanceID(wallet): 1]
                }
            }
            draft.add(product)
        }
    }

    private mutating func grants(
        _ count: DocumentValue, to wallet: String, of id: Product.ID, at path: String
    ) -> [BalanceID: Int64] {
        guard let number = count.wholeNumber, (1...Self.maximumGrant).contains(number) else {
            draft.report(
                .unknownValue, subject: id.rawValue,
                "the count is not a whole number from 1, so a purchase adds 1 to a balance with the product's id",
                at: path)
            return [:]
        }
        return [BalanceID(wallet): number]
    }

    /// Reads bundles of non-consumable products from a dictionary, in which each key is the product id of a bundle.
    ///
    /// A customer who bought the bundle also owns its members. Each member becomes a feature that the member and the
    /// bundle unlock.
    mutating func readBatches(_ value: DocumentValue, at path: String) {
        for member in value.dictionary?.members ?? [] {
            let path = memberPath(path, member.name)
            var texts: [(text: String, path: String)] = [(member.name, path)]
            for (index, element) in (member.value.array ?? []).enumerated() {
                guard let text = element.string else {
                    skip(at: "\(path)[\(index)]")
                    continue
                }
                texts.append((text, "\(path)[\(index)]"))
            }
            var members: [Product.ID] = []
            for (text, path) in texts {
                productCount += 1
                guard let id = draft.productID(text, at: path) else { continue }
                var product = CatalogDraft.ProductDraft(id: id)
                product.type = draft.stated(.nonConsumable, at: path)
                draft.add(product)
                members.append(id)
            }
            guard members.count > 1, let bundle = members.first else { continue }
            for id in members.dropFirst() where id != bundle {
                draft.features.append(
                    CatalogDraft.FeatureDraft(id: Feature.ID(id.rawValue), productIDs: [id, bundle]))
            }
            draft.report(
                .inferredFeature, subject: bundle.rawValue,
                "\(bundle) includes other products: each of them is also a feature of the bundle; check the feature",
                at: path)
        }
    }

    /// Reads a subscription and the length of its period in days; 0 means an unspecified length.
    mutating func readSubscriptionDays(_ member: DocumentDictionary.Member, at path: String) {
        productCount += 1
        guard let id = draft.productID(member.name, at: path) else { return }
        var product = CatalogDraft.ProductDraft(id: id)
        product.type = draft.stated(.autoRenewable, at: path)
        if let days = member.value.wholeNumber, days > 0 {
            product.period = draft.period(.string("P\(days)D"), subject: id.rawValue, at: path)
        }
        draft.add(product)
    }
}
