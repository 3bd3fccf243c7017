/// Merges the files' descriptions of subscription groups.
///
/// Groups with the same id, and groups that share a product, become one group. The order of a list determines service
/// levels, but an explicit level of a product in any file takes precedence over the order.
struct GroupMerge {
    /// The products that files explicitly put into groups.
    private(set) var explicitMembers: Set<Product.ID> = []
    private var drafts: [Part] = []
    /// The indices of the drafts that describe one group; the earliest represents the group.
    private var sets = DisjointSets<Int>()
    private var draftByWord: [SubscriptionGroup.ID: Int] = [:]
    private var draftByProduct: [Product.ID: Int] = [:]

    /// The values of a group at one place of a file, and the position of the file.
    private struct Part {
        var draft: CatalogDraft.GroupDraft
        var file: Int
    }

    /// The merged groups, and for each product its level and its group.
    struct Result {
        var groups: [SubscriptionGroup] = []
        var groupByProduct: [Product.ID: SubscriptionGroup.ID] = [:]
        var levels: [Product.ID: Int] = [:]
        var diagnostics: [Diagnostic] = []
    }

    /// Adds the values of a group at one place of a file.
    ///
    /// - Parameter file: The position of the file among all files.
    mutating func add(_ draft: CatalogDraft.GroupDraft, file: Int, isInferred: Bool = false) {
        let index = drafts.count
        drafts.append(Part(draft: draft, file: file))
        sets.insert(index)
        if !isInferred { explicitMembers.formUnion(draft.members) }
        if let other = draftByWord[draft.word] { sets.unite(other, index) } else { draftByWord[draft.word] = index }
        for id in draft.members {
            if let other = draftByProduct[id] { sets.unite(other, index) } else { draftByProduct[id] = index }
        }
    }

    /// Returns the groups, in the order of the files.
    ///
    /// - Parameter explicitLevels: The levels that files specify for single products.
    mutating func merged(explicitLevels: [Product.ID: Int]) -> Result {
        var partsByRoot: [Int: [Part]] = [:]
        var roots: [Int] = []
        for index in drafts.indices {
            let root = sets.root(of: index)
            if partsByRoot[root] == nil { roots.append(root) }
            partsByRoot[root, default: []].append(drafts[index])
        }
        var result = Result()
        for root in roots { Self.add(partsByRoot[root] ?? [], explicitLevels, to: &result) }
        return result
    }

    private static func add(
        _ parts: [Part], _ explicitLevels: [Product.ID: Int], to result: inout Result
    ) {
        guard let first = parts.first else { return }
        let configured = parts.filter(\.draft.isConfigured)
        let word = firstOfLastFile(configured)?.draft.word ?? first.draft.word
        for other in Set(configured.map(\.draft.word)) where other != word {
            result.diagnostics.append(
                Diagnostic(
                    .duplicateGroup, subject: other.rawValue,
                    message: "groups \(other) and \(word) share a product and are read as one group, \(word)"))
        }
        var group = SubscriptionGroup(id: word, productIDs: [])
        let listed = parts.filter { !$0.draft.isConfigured }
        // A name in a configuration is preferred to a name in a list. If the group's id is from a configuration, the
        // text by which a list refers to the group can also be its name.
        let words = listed.map(\.draft.word).filter { $0 != word }
        let names = [
            firstOfLastFile(configured.filter { $0.draft.name != nil })?.draft.name,
            firstOfLastFile(listed.filter { $0.draft.name != nil })?.draft.name,
            configured.isEmpty ? nil : words.first?.rawValue,
        ].compactMap { $0 }.map { SubscriptionGroup.ID($0) }
        group.name = names.first?.rawValue
        let configuredNames = configured.compactMap(\.draft.name).map { SubscriptionGroup.ID($0) }
        group.aliases = Set(words + configuredNames + names.dropFirst())
        for part in parts {
            group.aliases.formUnion(part.draft.aliases)
            group.localizations.merge(part.draft.localizations, \.locale)
            group.unknown.merge(part.draft.unknown)
        }
        group.aliases.subtract([word, names.first].compactMap { $0 })
        var order = ServiceOrder()
        for part in parts.reversed() where !part.draft.tiers.isEmpty { order.add(earlier: part.draft.tiers) }
        let orderLevels = order.levels
        var seen: Set<Product.ID> = []
        var members: [(id: Product.ID, level: Int, place: Int)] = []
        for id in parts.flatMap(\.draft.members) where seen.insert(id).inserted {
            let level = explicitLevels[id] ?? orderLevels[id]
            result.groupByProduct[id] = word
            result.levels[id] = level
            members.append((id, level ?? .max, members.count))
        }
        members.sort { ($0.level, $0.place) < ($1.level, $1.place) }
        group.productIDs = members.map(\.id)
        result.groups.append(group)
    }

    /// Returns the draft that determines a group's name: the first draft of the last file.
    private static func firstOfLastFile(_ parts: [Part]) -> Part? {
        parts.last.flatMap { last in parts.first { $0.file == last.file } }
    }
}
