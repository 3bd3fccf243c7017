import Storekeeper

/// An answer as the line of text that `check` prints.
struct AnswerLine {
    let answer: EntitlementAnswer
    let until: Instant?
    /// The product that decides the answer about a feature or a group; `nil` for the answer about a product, and if
    /// nothing decides the answer.
    let by: Product.ID?

    init(answer: EntitlementAnswer, until: Instant?, by: Product.ID? = nil) {
        self.answer = answer
        self.until = until
        self.by =
            switch answer {
            case .never, .unknown(_, nil): nil
            default: by
            }
    }

    /// The line, such as `entitled (gracePeriod) until 2026-03-15T00:00:00.000Z`.
    var text: String {
        "\(answer.word) (\(answer.reasonWord))\(until.map { " until \($0)" } ?? "")"
    }

    /// What decides the answer about a feature or a group, such as
    /// `by gold.monthly (familyShared, transaction 1000)`; `nil` if nothing is to be named.
    var decider: String? {
        switch answer {
        case .paidApp(let right):
            let version = right.appTransaction.originalAppVersion.map { " in version \($0)" } ?? ""
            return "by the app itself, first got\(version) at \(right.since)"
        case .granted(let grant): return "by the grant \(grant.id)"
        default: break
        }
        guard let by else { return nil }
        guard let transaction = answer.basis?.transaction else { return "by \(by)" }
        return "by \(by) (\(transaction.ownershipType.word), transaction \(transaction.id))"
    }

    /// The members of the JSON document.
    var members: [String: JSONText] {
        var members = EntitlementAnswer.shape.members(of: answer)
        members["until"] = .time(until)
        members["by"] = .text(by)
        members["ownership"] = by == nil ? .null : .text(answer.basis?.transaction.ownershipType.word)
        members["transactionID"] = by == nil ? .null : members["transactionID"] ?? .null
        return members
    }

    /// The exit status of a yes-or-no command for the answer.
    var status: ExitStatus {
        switch answer {
        case .entitled, .granted, .paidApp: .success
        case .pending, .lapsed, .never: .no
        case .unknown: .unknown
        }
    }
}
