extension EntitlementAnswer {
    /// Whether a period with a free trial decides the answer.
    fileprivate var isOfFreeTrial: Bool { basis?.transaction.offer?.paymentMode == .freeTrial }

    /// The answer of a purchase after its access, if nothing else is known.
    fileprivate var afterAccess: EntitlementAnswer {
        switch self {
        case .entitled(_, let basis): .lapsed(.expired, basis.standing(.expired))
        case .lapsed, .unknown: self
        case .granted, .paidApp, .pending, .never: .never
        }
    }
}

extension Timeline<EntitlementAnswer> {
    /// The answers of one purchase or chain if periods with a free trial do not count: while such a period decides, the
    /// answer is that of the last other period.
    var withoutFreeTrials: Timeline {
        guard entries.contains(where: { $0.value.isOfFreeTrial }) else { return self }
        var earlier = EntitlementAnswer.never
        return mapped(
            { answer in
                if answer.isOfFreeTrial { return earlier }
                earlier = answer.afterAccess
                return answer
            },
            joins: { $0.isEquivalent(to: $1) })
    }
}
