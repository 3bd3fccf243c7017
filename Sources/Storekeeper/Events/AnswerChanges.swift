/// Computes the answers that change because of new evidence or because time passes.
///
/// The functions have no side effects. A change is a different answer or reason; for a group, it is a different state,
/// product or access. A later end of the same answer is not a change.
enum AnswerChanges {
    /// Returns the changes that time causes if the evidence stays the same, each at its own instant.
    ///
    /// - Parameters:
    ///   - start: The start of the interval, exclusive.
    ///   - end: The end of the interval, inclusive.
    /// - Returns: The changes in order of time. Changes at the same instant are ordered by kind (products, features,
    ///   groups), and then by id. If an interval is split into parts, the parts together have the same changes as the
    ///   whole interval.
    static func causedByTime(
        in resolution: Resolution, after start: Instant, through end: Instant
    ) -> [StoreEvent.Change] {
        // Return early, because usually no answer changes in the interval.
        guard let next = resolution.nextChange(after: start), next <= end else { return [] }
        var changes: [StoreEvent.Change] = []
        for product in resolution.products {
            append(.product(product.id), product, from: start, to: end, to: &changes)
        }
        for feature in resolution.features.sorted(by: { $0.id < $1.id }) {
            append(.feature(feature.id), feature, from: start, to: end, to: &changes)
        }
        for group in resolution.groups { append(.group(group.group.id), group, from: start, to: end, to: &changes) }
        // Changes at the same instant keep the order in which they were appended.
        let order = changes.indices.sorted { (changes[$0].at, $0) < (changes[$1].at, $1) }
        return order.map { changes[$0] }
    }

    /// Returns the changes caused by new evidence, a new catalog, changed pending purchases or changed grants.
    ///
    /// - Parameters:
    ///   - old: The answers before the cause was learned.
    ///   - new: The answers after the cause was learned.
    ///   - instant: The instant at which the cause was learned. It must not be before the last instant up to which
    ///     changes caused by time were announced. Otherwise, some of these changes would be announced twice, and others
    ///     never.
    /// - Returns: The changes, ordered by kind (products, features, groups), and then by id.
    static func learned(from old: Resolution, to new: Resolution, at instant: Instant) -> [StoreEvent.Change] {
        var changes: [StoreEvent.Change] = []
        func compare<Subject: AnsweringTimeline>(
            _ subject: StoreEvent.Subject, _ before: Subject?, _ after: Subject?, orElse none: StoreEvent.Answer
        ) {
            if let before, let after, before.isEquivalent(to: after, at: instant) { return }
            let (before, after) = (before?.answer(at: instant) ?? none, after?.answer(at: instant) ?? none)
            guard !before.isEquivalent(to: after, about: subject) else { return }
            changes.append(StoreEvent.Change(at: instant, subject: subject, before: before, after: after))
        }
        for id in new.productIDs(changedSince: old).sorted() {
            compare(.product(id), old.product(id), new.product(id), orElse: .never(product: id))
        }
        for id in Set(old.features.map(\.id)).union(new.features.map(\.id)).sorted() {
            compare(.feature(id), old.feature(id), new.feature(id), orElse: .never())
        }
        for (id, before, after) in groups(of: old, and: new) {
            compare(.group(id), before, after, orElse: .noStatus)
        }
        return changes
    }

    /// Pairs the groups of the old resolution with the groups of the new resolution, by id.
    ///
    /// If new evidence reveals the id of a group, the group is paired with the old group that contains its products.
    private static func groups(
        of old: Resolution, and new: Resolution
    ) -> [(id: SubscriptionGroup.ID, before: GroupTimeline?, after: GroupTimeline?)] {
        var matched: Set<SubscriptionGroup.ID> = []
        var pairs = new.groups.map { after in
            let known =
                old.group(after.group.id.rawValue)
                ?? after.group.productIDs.lazy.compactMap(old.group(containing:)).first.flatMap {
                    old.group($0.id.rawValue)
                }
            if let known { matched.insert(known.group.id) }
            return (id: after.group.id, before: known, after: Optional(after))
        }
        for before in old.groups where !matched.contains(before.group.id) {
            pairs.append((before.group.id, before, new.group(before.group.id.rawValue)))
        }
        return pairs.sorted { $0.id < $1.id }
    }

    private static func append(
        _ subject: StoreEvent.Subject, _ timeline: some AnsweringTimeline, from start: Instant, to end: Instant,
        to changes: inout [StoreEvent.Change]
    ) {
        var instant = start
        while let next = timeline.nextRun(after: instant), next <= end {
            let before = timeline.answer(at: next.adding(milliseconds: -1))
            let after = timeline.answer(at: next)
            if !before.isEquivalent(to: after, about: subject) {
                changes.append(StoreEvent.Change(at: next, subject: subject, before: before, after: after))
            }
            instant = next
        }
    }
}

/// A timeline whose values can be recorded as the answers of events.
private protocol AnsweringTimeline {
    /// Returns the answer at an instant, in the short form of events.
    func answer(at instant: Instant) -> StoreEvent.Answer
    /// Returns whether the answer at an instant is equivalent to the answer of another timeline.
    func isEquivalent(to other: Self, at instant: Instant) -> Bool
    /// Returns the first instant after `instant` at which a run of equal values begins.
    func nextRun(after instant: Instant) -> Instant?
}

extension ProductTimeline: AnsweringTimeline {
    fileprivate func answer(at instant: Instant) -> StoreEvent.Answer {
        StoreEvent.Answer(
            timeline.value(at: instant), productID: id, until: timeline.nextChange(after: instant))
    }

    fileprivate func isEquivalent(to other: ProductTimeline, at instant: Instant) -> Bool {
        timeline.value(at: instant).isEquivalent(to: other.timeline.value(at: instant))
    }

    fileprivate func nextRun(after instant: Instant) -> Instant? { timeline.nextChange(after: instant) }
}

extension FeatureTimeline: AnsweringTimeline {
    fileprivate func answer(at instant: Instant) -> StoreEvent.Answer {
        let value = timeline.value(at: instant)
        return StoreEvent.Answer(
            value.answer, productID: value.productID, until: timeline.nextChange(after: instant))
    }

    fileprivate func isEquivalent(to other: FeatureTimeline, at instant: Instant) -> Bool {
        timeline.value(at: instant).answer.isEquivalent(to: other.timeline.value(at: instant).answer)
    }

    fileprivate func nextRun(after instant: Instant) -> Instant? { timeline.nextChange(after: instant) }
}

extension GroupTimeline: AnsweringTimeline {
    fileprivate func answer(at instant: Instant) -> StoreEvent.Answer {
        let status = highest.value(at: instant)
        // The answer stays the same if the next highest status, for example of another line of service, has the same
        // state, product and access.
        var end = highest.nextChange(after: instant)
        while let next = end, Self.areAlike(status, highest.value(at: next)) { end = highest.nextChange(after: next) }
        return status.map { StoreEvent.Answer($0, until: end) } ?? .noStatus(until: end)
    }

    fileprivate func isEquivalent(to other: GroupTimeline, at instant: Instant) -> Bool {
        Self.areAlike(highest.value(at: instant), other.highest.value(at: instant))
    }

    fileprivate func nextRun(after instant: Instant) -> Instant? { highest.nextChange(after: instant) }

    private static func areAlike(_ left: SubscriptionStatus?, _ right: SubscriptionStatus?) -> Bool {
        left?.state == right?.state && left?.isEntitled == right?.isEntitled
            && left?.fact.productID == right?.fact.productID
    }
}

extension StoreEvent.Answer {
    fileprivate init(_ answer: EntitlementAnswer, productID: Product.ID?, until: Instant?) {
        self.init(
            word: answer.word, reason: answer.reasonWord, productID: productID,
            transactionID: answer.basis?.fact.transaction.id, until: until)
    }

    fileprivate init(_ status: SubscriptionStatus, until: Instant?) {
        self.init(
            word: status.state.rawValue, reason: status.isEntitled ? "entitled" : "notEntitled",
            productID: status.fact.productID, transactionID: status.fact.transaction.id, until: until)
    }

    /// The answer about a product or feature that the resolution does not contain.
    fileprivate static func never(product id: Product.ID? = nil) -> Self {
        Self(EntitlementAnswer.never, productID: id, until: nil)
    }

    /// The answer about a group in which nothing was ever bought.
    fileprivate static var noStatus: Self { noStatus(until: nil) }

    fileprivate static func noStatus(until end: Instant?) -> Self {
        Self(word: EntitlementAnswer.never.word, reason: "notEntitled", until: end)
    }

    /// The answer, which is `unknown` in place of `never` if the App Store's whole history was never read.
    fileprivate func doubted(_ isNeverSynced: Bool) -> Self {
        guard isNeverSynced, word == EntitlementAnswer.never.word else { return self }
        return Self(EntitlementAnswer.unknown(.neverSynced), productID: productID, until: until)
    }

    /// Returns whether two answers have the same kind or state, the same reason and, for a group, the same product.
    func isEquivalent(to other: Self, about subject: StoreEvent.Subject) -> Bool {
        guard word == other.word, reasonWord == other.reasonWord else { return false }
        if case .group = subject { return productID == other.productID }
        return true
    }
}

extension StoreEvent.Change {
    /// Returns the change as the store's answers say it, given whether the App Store's whole history was never read before
    /// the change, and after it.
    ///
    /// A group without a status has no answer that could be unknown.
    func doubted(before isDoubtedBefore: Bool, after isDoubtedAfter: Bool) -> Self {
        if case .group = subject { return self }
        return Self(
            at: at, subject: subject, before: before.doubted(isDoubtedBefore), after: after.doubted(isDoubtedAfter))
    }
}
