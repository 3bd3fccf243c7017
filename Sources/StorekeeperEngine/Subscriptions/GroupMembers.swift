/// The assignment of chains to subscription groups.
struct GroupMembers: Sendable {
    let catalog: Catalog
    private(set) var directory: GroupDirectory
    /// The chains of each group of the directory, in the order of their first evidence.
    private(set) var members: [[Int]] = []

    private var groupOfLine: [Int?] = []
    private var references: Set<GroupDirectory.GroupReference> = []
    /// The number of group references in the directory; negative before the directory is built.
    private var knownReferences = -1
    /// The number of group references when the chains were last assigned to groups.
    private var assigned = -1

    init(catalog: Catalog) {
        self.catalog = catalog
        directory = GroupDirectory(catalog: .empty, mentions: [])
    }

    /// Records the groups that the transactions of a chain name for their products.
    mutating func add(_ chain: PurchaseChain, id: PurchaseChain.ID) {
        references.formUnion(Self.references(in: chain, of: id.environment))
    }

    /// Returns the group of each product of a chain; a product whose transactions name no group is in the group of its
    /// chain.
    private static func references(
        in chain: PurchaseChain, of environment: AppStore.Environment
    ) -> Set<GroupDirectory.GroupReference> {
        guard let chainGroupID = Listed(chain).groupID else { return [] }
        return Set(
            chain.subscriptions.map { subscription in
                GroupDirectory.GroupReference(
                    productID: subscription.productID, groupID: subscription.groupID ?? chainGroupID,
                    environment: environment)
            })
    }

    /// The groups and app transaction ids in the transactions of a chain.
    struct Listed: Sendable {
        /// The number of different pairs of a product and its group.
        let count: Int
        /// The group that is assumed for transactions of the chain that name no group.
        let groupID: SubscriptionGroup.ID?
        /// The app transaction ids.
        let downloads: PurchaseChain.Downloads
        private let hasRecordWithoutGroup: Bool

        init(_ chain: PurchaseChain) {
            count = chain.subscriptions.count
            downloads = chain.downloads
            groupID = chain.subscriptions.lazy.compactMap(\.groupID).max()
            hasRecordWithoutGroup = chain.subscriptions.contains { $0.groupID == nil }
        }

        /// Returns whether the chain has transactions that name no group, and another group is now assumed for them.
        func contradicts(_ earlier: Listed) -> Bool {
            hasRecordWithoutGroup && earlier.groupID != nil && earlier.groupID != groupID
        }
    }

    // MARK: Assigning

    /// Rebuilds the directory from all group references.
    ///
    /// - Returns: Whether any group reference was new.
    @discardableResult
    mutating func rebuildDirectory() -> Bool {
        guard knownReferences < references.count else { return false }
        directory = GroupDirectory(catalog: catalog, mentions: references)
        knownReferences = references.count
        return true
    }

    /// Assigns every chain to its group.
    mutating func assignAll(_ lines: [GroupChain]) {
        rebuildDirectory()
        assigned = knownReferences
        members = [[Int]](repeating: [], count: directory.groups.count)
        groupOfLine = []
        groupOfLine.reserveCapacity(lines.count)
        for (index, line) in lines.enumerated() {
            let group = group(of: line.chain)
            groupOfLine.append(group)
            if let group { members[group].append(index) }
        }
    }

    /// Returns the index of the group of a line of service; `nil` if no product of the line has a known group.
    private func group(of line: SubscriptionChain) -> Int? {
        line.tracks.lazy.compactMap { directory.index(ofProduct: $0.productID) }.min()
    }

    /// Assigns changed chains to their groups again.
    ///
    /// - Returns: Whether any group or its members changed.
    mutating func assign(_ changed: some Sequence<Int>, _ lines: [GroupChain]) -> Bool {
        let isKnown = changed.allSatisfy { $0 < groupOfLine.count && groupOfLine[$0] == group(of: lines[$0].chain) }
        if isKnown, assigned == references.count { return false }
        assignAll(lines)
        return true
    }

    /// Returns the index of the group that a chain is assigned to.
    func group(ofLine line: Int) -> Int? { line < groupOfLine.count ? groupOfLine[line] : nil }

    // MARK: Timelines

    /// Returns the timeline of a group.
    ///
    /// - Parameters:
    ///   - conflictingIDs: Products whose type in the evidence differs from their type in the catalog; these products
    ///     have no status.
    ///   - earlier: The highest status from before the change; it must have been built from at least two of the present
    ///     chains and from no other chain.
    func timeline(
        of group: Int, lines: [GroupChain], without conflictingIDs: Set<Product.ID>,
        after earlier: Overlay.Earlier<SubscriptionStatus?>? = nil
    ) -> GroupTimeline {
        GroupTimeline(
            directory.groups[group],
            statuses: members[group].compactMap { lines[$0].chain.status(without: conflictingIDs) }, after: earlier)
    }
}

extension SubscriptionChain {
    /// Returns the status at each instant; the status is `nil` while the current transaction is for one of the given
    /// products.
    ///
    /// - Returns: `nil` if the chain has only the given products.
    fileprivate func status(without productIDs: Set<Product.ID>) -> Timeline<SubscriptionStatus?>? {
        guard !productIDs.isEmpty else { return status }
        let count = tracks.count { productIDs.contains($0.productID) }
        guard count > 0 else { return status }
        guard count < tracks.count else { return nil }
        return status.mapped(
            { $0.flatMap { productIDs.contains($0.transaction.productID) ? nil : $0 } }, joins: Self.areOneRun)
    }
}
