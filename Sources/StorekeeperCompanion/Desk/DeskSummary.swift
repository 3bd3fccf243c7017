import Storekeeper

/// The sentences at the top of a customer's page: what the customer has lost last, and what the customer has.
///
/// They are made from the same timelines as the tables, the explanations and the picture. A product is left out if it
/// decides the answer about a feature, because the sentences name the feature.
struct DeskSummary {
    /// A product or feature that the customer has or had.
    private struct Subject {
        let name: String
        let answer: EntitlementAnswer
        /// The end of the last access before the instant of the answers; `nil` if there was no access.
        let lostAt: Instant?
        /// The answer that tells why the last access ended.
        let cause: EntitlementAnswer

        init<Value: Sendable>(
            _ name: String, _ timeline: Timeline<Value>, at now: Instant, _ answer: (Value) -> EntitlementAnswer
        ) {
            self.name = name
            self.answer = answer(timeline.value(at: now))
            lostAt = timeline.runs.last { ($0.to ?? .distantFuture) <= now && answer($0.value).isEntitled }?.to
            if case .lapsed(.refunded, let basis) = self.answer, let lostAt,
                let revokedAt = basis.transaction.revokedAt, lostAt < revokedAt
            {
                // A refund of a period that was already over has ended no access.
                cause = answer(timeline.value(at: lostAt))
            } else {
                cause = self.answer
            }
        }
    }

    private let subjects: [Subject]
    private let format: DeskFormat

    /// Makes the sentences about the answers at an instant.
    init(_ resolution: Resolution, at now: Instant, _ format: DeskFormat) {
        self.format = format
        var subjects: [Subject] = []
        var named: Set<Product.ID> = []
        for feature in resolution.features {
            let value = feature.timeline.value(at: now)
            if value.answer.kind != .unknown, let id = value.productID { named.insert(id) }
            subjects.append(Subject(feature.id.rawValue, feature.timeline, at: now) { $0.answer })
        }
        for product in resolution.products where !named.contains(product.id) {
            subjects.append(Subject(product.id.rawValue, product.timeline, at: now) { $0 })
        }
        self.subjects = subjects.filter { !$0.answer.lacksPurchase }
    }

    /// Returns the sentences.
    ///
    /// - Parameters:
    ///   - balances: The balances that are not zero, in words.
    ///   - absence: The sentence about a customer who has and had nothing.
    func text(balances: [String], absence: String) -> String {
        let texts = format.texts
        func names(_ kind: EntitlementAnswer.Kind) -> [String] {
            subjects.filter { $0.answer.kind == kind }.map(\.name)
        }
        let things = subjects.filter(\.answer.isEntitled).map(name) + balances
        let (lost, pending, unknown) = (loss, names(.pending), names(.unknown))
        var sentences = [lost].compactMap(\.self)
        if !things.isEmpty {
            sentences.append(texts(.summaryHas, ["things": format.list(things)]))
        } else if lost != nil {
            sentences.append(texts(.summaryNothing))
        }
        if !pending.isEmpty { sentences.append(texts(.summaryPending, ["subjects": format.list(pending)])) }
        if !unknown.isEmpty { sentences.append(texts(.summaryUnknown, ["subjects": format.list(unknown)])) }
        return sentences.isEmpty ? absence : sentences.joined(separator: " ")
    }

    /// Returns the name of a subject to which the customer has access, with the reason if it is not a plain purchase.
    private func name(_ subject: Subject) -> String {
        let reason = subject.answer.reasonKey
        return reason == "active" || reason == "owned"
            ? subject.name : "\(subject.name) (\(format.texts.word("reason", reason)))"
    }

    /// The sentence about the latest loss of access; `nil` if the customer has lost nothing, or has replaced it by
    /// another product.
    private var loss: String? {
        let lost = subjects.filter { subject in
            guard case .lapsed(let reason, _) = subject.answer else { return false }
            return reason != .upgraded && reason != .movedToBundle
        }
        guard let latest = lost.max(by: { ($0.lostAt ?? .distantPast) < ($1.lostAt ?? .distantPast) }),
            let lostAt = latest.lostAt
        else { return nil }
        let names = lost.filter { $0.lostAt == lostAt && $0.cause.isEquivalent(to: latest.cause) }.map(\.name)
        return format.texts(
            .summaryLost,
            ["subjects": format.list(names), "day": format.day(lostAt), "reason": reason(of: latest.cause)])
    }

    /// Returns the reason for which access has ended; for a refund, with the amount.
    private func reason(of answer: EntitlementAnswer) -> String {
        let texts = format.texts
        guard case .lapsed(.refunded, let basis) = answer, let price = format.price(of: basis.transaction) else {
            return texts.word("reason", answer.reasonKey)
        }
        guard let share = basis.transaction.revocationPercentage, share < 100_000 else {
            return texts(.summaryRefunded, ["price": price])
        }
        // The App Store reports the share in thousandths of a percent.
        return texts(.summaryRefundedPart, ["share": format.number((share + 500) / 1000), "price": price])
    }
}
