/// Which subscription groups there are, and what they are called, once the evidence has been heard.
///
/// A list of products may call a group by any word; the evidence has the App Store's id for it. Groups that
/// share a product are one group. Its id is the one in the evidence, else the one in the catalog.
struct GroupDirectory: Sendable {
    /// The groups, by id.
    let groups: [SubscriptionGroup]
    private let indexByProduct: ByteMap<Int>
    private let indexByAlias: ByteMap<Int>

    /// A product of the evidence and the group it names.
    struct Mention: Hashable, Sendable {
        let productID: Product.ID
        let groupID: String
        let environment: AppStore.Environment
    }

    init(catalog: Catalog, mentions: Set<Mention>) {
        var sets = DisjointSets()
        for group in catalog.groups {
            for product in group.productIDs { sets.unite("g" + group.id, "p" + product) }
            sets.insert("g" + group.id)
        }
        for mention in mentions { sets.unite("g" + mention.groupID, "p" + mention.productID) }

        var evidenceIDs: ByteMap<(rank: Int, id: ByteText)> = [:]
        var evidenceProducts: ByteMap<ByteSet> = [:]
        for mention in mentions {
            let root = sets.root(of: "g" + mention.groupID)
            let candidate = (Self.rank(mention.environment), ByteText(mention.groupID))
            if let known = evidenceIDs[root], known <= candidate {} else { evidenceIDs[root] = candidate }
            evidenceProducts[root, default: []].insert(mention.productID)
        }
        var members: ByteMap<[SubscriptionGroup]> = [:]
        for group in catalog.groups { members[sets.root(of: "g" + group.id), default: []].append(group) }

        var groups: [SubscriptionGroup] = []
        var aliases: [(alias: String, id: String)] = []
        var roots = ByteSet(evidenceIDs.keys)
        roots.formUnion(members.keys)
        for root in roots {
            let parts = members[root] ?? []
            guard let id = evidenceIDs[root]?.id.text ?? parts.first?.id else { continue }
            let listed = parts.flatMap(\.productIDs)
            let known = ByteSet(listed)
            let met = (evidenceProducts[root] ?? []).filter { !known.contains($0) }
                .sorted { ByteText($0) < ByteText($1) }
            let name = parts.lazy.compactMap(\.name).first ?? parts.lazy.map(\.id).first { !ByteText.areEqual($0, id) }
            groups.append(SubscriptionGroup(id: id, name: name, productIDs: listed + met))
            aliases += parts.flatMap { [$0.id] + [$0.name].compactMap { $0 } + $0.aliases }.map { ($0, id) }
        }
        groups.sort { ByteText($0.id) < ByteText($1.id) }
        self.groups = groups
        let indexByID = ByteMap(groups.indices.map { (groups[$0].id, $0) })
        indexByProduct = ByteMap(
            groups.indices.flatMap { index in groups[index].productIDs.map { ($0, index) } })
        // Ids count before other words.
        indexByAlias = ByteMap(
            indexByID.map { ($0.key, $0.value) }
                + aliases.sorted { (ByteText($0.alias), ByteText($0.id)) < (ByteText($1.alias), ByteText($1.id)) }
                .compactMap { alias in indexByID[alias.id].map { (alias.alias, $0) } })
    }

    /// The group a product belongs to.
    func index(ofProduct id: Product.ID) -> Int? { indexByProduct[id] }

    /// The group with an id or a name.
    func index(named name: String) -> Int? { indexByAlias[name] }

    /// Of several ids for one group that of the App Store proper counts first.
    private static func rank(_ environment: AppStore.Environment) -> Int {
        switch environment {
        case .production: 0
        case .sandbox: 1
        default: 2
        }
    }
}

/// Sets that are united step by step.
private struct DisjointSets {
    private var parents: [ByteText: ByteText] = [:]

    mutating func insert(_ element: String) {
        let element = ByteText(element)
        if parents[element] == nil { parents[element] = element }
    }

    mutating func root(of element: String) -> String {
        insert(element)
        var root = ByteText(element)
        while let parent = parents[root], parent != root { root = parent }
        var next = ByteText(element)
        while let parent = parents[next], parent != root {
            parents[next] = root
            next = parent
        }
        return root.text
    }

    mutating func unite(_ left: String, _ right: String) {
        let (leftRoot, rightRoot) = (ByteText(root(of: left)), ByteText(root(of: right)))
        if leftRoot != rightRoot { parents[max(leftRoot, rightRoot)] = min(leftRoot, rightRoot) }
    }
}
