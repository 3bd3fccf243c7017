import FoundationEssentials

/// Merges the drafts of several files into one catalog.
///
/// The products are in the order in which the files first mention them. If two files have different values for a
/// product, the value of the later file is used. Groups and levels have separate rules, which are in ``GroupMerge``.
struct CatalogMerge {
    private var order: [Product.ID] = []
    private var drafts: [Product.ID: CatalogDraft.ProductDraft] = [:]
    private var diagnostics: [Diagnostic] = []

    /// Returns the catalog that results from all files; a later file takes precedence over an earlier file.
    static func catalog(of files: [CatalogDraft]) -> Catalog {
        var merge = CatalogMerge()
        for file in files {
            merge.diagnostics += file.diagnostics
            for product in file.products { merge.add(product) }
        }
        var groups = GroupMerge()
        for (index, file) in files.enumerated() {
            for group in file.groups { groups.add(group, file: index) }
        }
        for (index, file) in files.enumerated() { merge.inferGroups(from: file, at: index, into: &groups) }
        let explicitLevels = merge.drafts.compactMapValues { $0.level?.value }
        let merged = groups.merged(explicitLevels: explicitLevels)
        merge.diagnostics += merged.diagnostics
        merge.reportOddTypes(in: merged.groupByProduct)
        merge.reportUnknownMembers()
        merge.reportImpossibleIDs()
        merge.reportUnusedPeriods()
        let features = features(of: files)
        let listed = Set(
            files.flatMap { file in file.products.map(\.id).filter { !file.namedByFeaturesOnly.contains($0) } })
        // If the files contain only features, the features' products are assumed to be in a list elsewhere, and are not
        // reported as missing.
        if !listed.isEmpty {
            merge.reportUnlistedSubscriptions(of: files)
            merge.diagnostics += features.flatMap { feature in
                feature.productIDs.filter { !listed.contains($0) }.map { .unlisted($0, in: feature.id) }
            }
        }
        let products = merge.order.compactMap { id in
            merge.drafts[id].map { product($0, group: merged.groupByProduct[id], level: merged.levels[id]) }
        }
        let drafts = merge.drafts
        merge.diagnostics += ServiceLevels.diagnostics(of: products, in: merged.groups) { id in
            drafts[id].flatMap { $0.level?.location ?? $0.type?.location }
        }
        var catalog = Catalog(
            exactly: products, groups: merged.groups, features: features,
            diagnostics: Diagnostic.sorted(merge.diagnostics))
        for file in files {
            catalog.version = file.version ?? catalog.version
            catalog.locale = file.locale ?? catalog.locale
            catalog.unknown.merge(file.unknown)
        }
        return catalog
    }

    private mutating func add(_ product: CatalogDraft.ProductDraft) {
        guard let known = drafts[product.id] else {
            order.append(product.id)
            drafts[product.id] = product
            return
        }
        diagnostics += Diagnostic.conflicts(between: known, and: product, wins: "later file")
        var merged = product
        merged.complete(from: known)
        // The price and its currency must be from the same file.
        if product.price == nil { merged.currencyCode = known.currencyCode }
        (merged.localizations, merged.unknown) = (known.localizations, known.unknown)
        merged.localizations.merge(product.localizations, \.locale)
        merged.unknown.merge(product.unknown)
        drafts[product.id] = merged
    }

    /// Reports the products that are in a subscription group but have a type other than auto-renewable.
    ///
    /// The type of such a product is not changed.
    private mutating func reportOddTypes(in groupByProduct: [Product.ID: SubscriptionGroup.ID]) {
        for (id, group) in groupByProduct {
            guard let type = drafts[id]?.type, !type.value.renews else { continue }
            diagnostics.append(
                Diagnostic(
                    .conflictingType, subject: id.rawValue,
                    message: "\(type.location) says \(type.value.word), but the product is in subscription group "
                        + "\(group), which is for autoRenewable ones; the type counts",
                    location: type.location))
        }
    }

    /// Reports the non-renewing products that have a period but no access duration, because they are owned forever.
    private mutating func reportUnusedPeriods() {
        for id in order {
            guard let draft = drafts[id], let type = draft.type, type.value == .nonRenewable, draft.period != nil,
                draft.accessDuration == nil
            else { continue }
            diagnostics.append(
                Diagnostic(
                    .badPeriod, subject: id.rawValue,
                    message: "the period of a nonRenewable product is ignored, and its access does not end; "
                        + "if it is to end, write 'accessDuration'",
                    location: type.location))
        }
    }

    /// Reports the products that only lists of subscriptions name, although the files also list products.
    ///
    /// Many lists name their subscriptions only there, as StoreHelper's documentation recommends, and others add
    /// subscriptions to those of a StoreKit configuration. Then only a name that is almost the id of a listed product is
    /// reported. If the products include a subscription, every name that they lack is reported.
    private mutating func reportUnlistedSubscriptions(of files: [CatalogDraft]) {
        guard files.contains(where: { !$0.namedByGroupsOnly.isEmpty }) else { return }
        let products = files.flatMap { file in file.products.filter { file.lists($0.id) } }
        let words = Set(products.map(\.id)).sorted().prefix(Self.maximumOfSuggestions * 20).map(\.rawValue)
        guard !words.isEmpty else { return }
        let listed = Set(products.filter { !$0.isConfigured }.map(\.id))
        let listsSubscription = products.contains { !$0.isConfigured && $0.type?.value.renews ?? false }
        let defined = Set(files.flatMap { file in file.products.map(\.id).filter { file.defines($0) } })
        for file in files {
            let unlisted = file.namedByGroupsOnly.filter { !defined.contains($0.key) }.sorted { $0.key < $1.key }
            let isMixed =
                listsSubscription
                || file.groups.contains { !$0.isConfigured && $0.members.contains(where: listed.contains) }
            for (index, (id, location)) in unlisted.prefix(CatalogDraft.maximumOfOneCode).enumerated() {
                let near =
                    index < Self.maximumOfSuggestions ? NearestWord.near(id.rawValue, among: words) : nil
                let isMisspelled = near.map { NearestWord.distance(id.rawValue, $0) <= 2 } ?? false
                guard isMixed || isMisspelled else { continue }
                let advice = near.map { "did you mean '\($0)'?" } ?? "check the spelling, or add it to products"
                diagnostics.append(
                    Diagnostic(
                        .unknownProduct, subject: id.rawValue,
                        message: "subscriptions names \(id), which is not in products: \(advice)", location: location))
            }
        }
    }

    /// Notes the products whose ids App Store Connect does not accept.
    private mutating func reportImpossibleIDs() {
        var count = 0
        for id in order where count < CatalogDraft.maximumOfOneCode {
            let text = id.rawValue
            guard text.utf8.count > 255 || !text.utf8.allSatisfy({ $0.isNamePart || $0 == UInt8(ascii: ".") }) else {
                continue
            }
            count += 1
            diagnostics.append(
                Diagnostic(
                    .unknownValue, severity: .note, subject: text,
                    message: "the App Store has no such product id: an id has at most 255 letters, digits, periods, "
                        + "underscores and hyphens of ASCII",
                    location: drafts[id]?.type?.location))
        }
    }

    /// Reports the members of bundles and suites that are almost the id of a known product.
    ///
    /// A bundle may contain subscriptions of other developers, which the catalog does not describe.
    private mutating func reportUnknownMembers() {
        for id in order {
            guard let draft = drafts[id] else { continue }
            for member in draft.members.prefix(Self.maximumOfSuggestions) where drafts[member] == nil {
                let words = order.prefix(Self.maximumOfSuggestions * 20).map(\.rawValue)
                guard let near = NearestWord.near(member.rawValue, among: words),
                    NearestWord.distance(member.rawValue, near) <= 2
                else { continue }
                diagnostics.append(
                    Diagnostic(
                        .unknownProduct, subject: member.rawValue,
                        message: "\(id) names the member \(member), which is in no product list: did you mean "
                            + "'\(near)'?", location: draft.type?.location))
            }
        }
    }

    /// The number of names for which a file is searched for a similar name.
    private static let maximumOfSuggestions = 20

    // MARK: Groups from names

    /// Infers groups from product ids such as `com.example.subscription.vip.gold`, as StoreHelper does.
    ///
    /// A group is inferred only for a product that no file puts into a group, and that has no type or is
    /// auto-renewable. The order of the ids in the list determines the service levels.
    private mutating func inferGroups(from file: CatalogDraft, at index: Int, into groups: inout GroupMerge) {
        var words: [SubscriptionGroup.ID] = []
        var members: [SubscriptionGroup.ID: [Product.ID]] = [:]
        var seen: Set<Product.ID> = []
        for entry in file.plainIDs where !groups.explicitMembers.contains(entry.value) {
            let id = entry.value
            let type = drafts[id]?.type?.value
            guard type == nil || type == .autoRenewable, let word = Self.group(inName: id), seen.insert(id).inserted
            else { continue }
            if members[word] == nil { words.append(word) }
            members[word, default: []].append(id)
            diagnostics.append(
                Diagnostic(
                    .inferredGroup, subject: id.rawValue,
                    message:
                        "the subscription group \(word) was inferred from the product id; list it under Subscriptions",
                    location: entry.location))
        }
        for word in words {
            let ids = members[word] ?? []
            let group = CatalogDraft.GroupDraft(word: word, members: ids, tiers: ids.map { [$0] })
            groups.add(group, file: index, isInferred: true)
        }
    }

    /// Returns the component of a product id after `subscription`, in lower case, if at least one more component
    /// follows.
    static func group(inName id: Product.ID) -> SubscriptionGroup.ID? {
        let parts = id.rawValue.split(separator: ".", omittingEmptySubsequences: false)
        guard let index = parts.firstIndex(where: { $0.lowercased() == "subscription" }), index > 0,
            index + 2 < parts.count, parts.allSatisfy({ !$0.isEmpty })
        else { return nil }
        return SubscriptionGroup.ID(parts[index + 1].lowercased())
    }

    // MARK: Results

    private static func product(
        _ draft: CatalogDraft.ProductDraft, group: SubscriptionGroup.ID?, level: Int?
    ) -> Product {
        var product = Product(id: draft.id)
        product.type = draft.type?.value ?? (group != nil ? .autoRenewable : draft.grants.isEmpty ? nil : .consumable)
        product.displayName = draft.displayName ?? draft.referenceName ?? (draft.isConfigured ? draft.id.rawValue : nil)
        product.description = draft.description
        product.localizations = draft.localizations
        product.price = draft.price
        product.currencyCode = draft.price == nil ? nil : draft.currencyCode
        product.isFamilyShareable = draft.isFamilyShareable ?? (draft.isConfigured ? false : nil)
        product.accessDuration = draft.accessDuration
        product.stacking = draft.stacking ?? .parallel
        product.grants = draft.grants
        product.members = draft.members
        product.unknown = draft.unknown
        let isUntyped = product.type == nil && (draft.period != nil || draft.level != nil || !draft.offers.isEmpty)
        if product.type?.renews ?? false || group != nil || isUntyped {
            product.subscription = Product.SubscriptionInfo(
                subscriptionGroupID: group, groupLevel: level ?? draft.level?.value, subscriptionPeriod: draft.period,
                offers: draft.offers, billingPlans: draft.billingPlans)
        } else {
            product.codeOffers = draft.offers.filter { $0.kind == .code }
        }
        return product
    }

    private static func features(of files: [CatalogDraft]) -> [Feature] {
        var features: [Feature] = []
        var indexByID: [Feature.ID: Int] = [:]
        var known: [Set<Product.ID>] = []
        for feature in files.flatMap(\.features) {
            let index = indexByID[feature.id] ?? features.count
            if index == features.count {
                indexByID[feature.id] = index
                features.append(Feature(id: feature.id, productIDs: []))
                known.append([])
            }
            for id in feature.productIDs where known[index].insert(id).inserted {
                features[index].productIDs.append(id)
            }
            features[index].paidPeriods = feature.paidPeriods ?? features[index].paidPeriods
            features[index].originalVersionBefore =
                feature.originalVersionBefore ?? features[index].originalVersionBefore
            features[index].originalPurchaseBefore =
                feature.originalPurchaseBefore ?? features[index].originalPurchaseBefore
        }
        return features
    }
}
