extension ResolutionUpdate {
    /// Rebuilds each timeline whose sources changed, from the instant of the change on.
    func finish(_ state: inout ResolutionState) {
        let features = makeProducts(&state)
        makeFeatures(features, &state)
        if !lines.isEmpty { makeGroups(&state) }
        for balance in staleBalances { makeBalance(balance, &state) }
    }

    /// Rebuilds the timelines of products.
    ///
    /// - Returns: The indices of the features to rebuild, each with the instant from which the feature changes.
    private func makeProducts(_ state: inout ResolutionState) -> [Int: Instant] {
        var features: [Int: Instant] = [:]
        if !products.isEmpty, state.lookup == nil { state.lookup = UpdateLookup(state) }
        for (id, touch) in products {
            let old = state.resolution.productTimelines[id]
            // A timeline with a single source is the source itself. Only an overlay, which combines several sources,
            // can be continued.
            let earlier =
                touch.sourceCount < 2 ? nil : old.map { Overlay.Earlier(timeline: $0.timeline, holdsUntil: touch.from) }
            let new = state.productTimeline(of: id, doubtful: history.doubtfulProductIDs, after: earlier)
            state.resolution.productTimelines[id] = new
            recordConsumable(id, &state)
            let unlocked = state.lookup?.features(of: id) ?? []
            if unlocked.contains(where: { state.resolver.catalog.features[$0].paidPeriods }) {
                makePaidProduct(id, &state)
            }
            // Adding or removing a product shifts the positions of the following products in a feature, so the whole
            // feature is rebuilt.
            let from = (old == nil) == (new == nil) ? touch.from : .distantPast
            for feature in unlocked {
                features[feature] = min(features[feature] ?? from, from)
            }
        }
        return features
    }

    private func makePaidProduct(_ id: Product.ID, _ state: inout ResolutionState) {
        state.resolution.paidProducts[id] = state.productTimeline(
            of: id, doubtful: history.doubtfulProductIDs, paidPeriods: true)
    }

    /// Rebuilds the features that customers of the paid app have; app transactions seldom change.
    func makePaidAppFeatures(_ state: inout ResolutionState) {
        state.resolution.paidApps = state.paidApps(in: history)
        for (index, feature) in state.resolver.catalog.features.enumerated() where feature.isForPaidApp {
            state.resolution.features[index] = FeatureTimeline(feature, in: state.resolution)
        }
    }

    private func recordConsumable(_ id: Product.ID, _ state: inout ResolutionState) {
        let isConsumable = state.isConsumable(id)
        guard isConsumable != state.resolution.consumableIDs.contains(id) else { return }
        if isConsumable {
            state.resolution.consumableIDs.insert(id)
        } else {
            state.resolution.consumableIDs.remove(id)
        }
    }

    private func makeFeatures(_ features: [Int: Instant], _ state: inout ResolutionState) {
        for (index, from) in features {
            state.resolution.features[index] = FeatureTimeline(
                state.resolver.catalog.features[index], in: state.resolution,
                after: Overlay.Earlier(timeline: state.resolution.features[index].timeline, holdsUntil: from))
        }
    }

    private func makeGroups(_ state: inout ResolutionState) {
        let before = (members: state.groups, timelines: state.resolution.groups)
        if state.groups.assign(lines.keys, state.lines) {
            state.resolution.directory = state.groups.directory
            state.resolution.groups = state.groups.directory.groups.indices.map { group in
                let members = state.groups.members[group]
                let from = members.lazy.compactMap { lines[$0] }.min() ?? .distantFuture
                var earlier: Overlay.Earlier<SubscriptionStatus?>?
                if let old = members.first.flatMap(before.members.group(ofLine:)),
                    members.starts(with: before.members.members[old])
                {
                    earlier = self.earlier(before.timelines[old], from: from)
                }
                return state.groupTimeline(group, after: earlier)
            }
        } else {
            var changed: [Int: Instant] = [:]
            for (line, from) in lines {
                guard let group = state.groups.group(ofLine: line) else { continue }
                changed[group] = min(changed[group] ?? from, from)
            }
            for (group, from) in changed {
                state.resolution.groups[group] = state.groupTimeline(
                    group, after: earlier(before.timelines[group], from: from))
            }
        }
    }

    /// Returns the highest status of a group from before the update; `nil` for a group with a single chain.
    ///
    /// The status of a single chain is not an overlay of several timelines and cannot be continued.
    private func earlier(_ group: GroupTimeline, from instant: Instant) -> Overlay.Earlier<SubscriptionStatus?>? {
        guard group.statuses.count > 1 else { return nil }
        return Overlay.Earlier(timeline: group.highest, holdsUntil: instant)
    }

    private func makeBalance(_ id: BalanceID, _ state: inout ResolutionState) {
        let timeline = state.balanceTimeline(id)
        let balances = state.resolution.balances
        let place = balances.firstIndex { $0.id >= id } ?? balances.count
        if place < balances.count, balances[place].id == id {
            state.resolution.balances[place] = timeline
        } else {
            state.resolution.balances.insert(timeline, at: place)
        }
    }
}
