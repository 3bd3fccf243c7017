public import Storekeeper

extension ScenarioExpectation {
    /// What must have been signed: members of the newest copy of a document, as the App Store names them.
    public struct Signed: Hashable, Sendable {
        /// What was signed.
        public enum Document: String, Hashable, Sendable, CaseIterable {
            /// The newest copy of a transaction.
            case transaction
            /// The newest renewal info of the transaction's subscription.
            case renewal
            /// The newest notification about the transaction, or about the subscription that it is of.
            case notification
        }

        /// A member and what it must be.
        public struct Member: Hashable, Sendable {
            /// Its name; of a member of a member both, such as `commitmentInfo.billingPeriodNumber`.
            public var name: String
            /// What it must be.
            public var value: Value

            /// Makes a member.
            public init(_ name: String, _ value: Value) {
                self.name = name
                self.value = value
            }
        }

        /// What a member must be.
        public enum Value: Hashable, Sendable {
            /// It must not be there: `none`.
            case absent
            /// It must be there: `any`.
            case present
            /// A whole number.
            case whole(Int64)
            /// A text; of an id also the name of a purchase.
            case text(String)
            /// `true` or `false`.
            case flag(Bool)
            /// An instant.
            case time(Instant)
            /// Texts, in their order.
            case list([String])
        }

        /// What was signed.
        public var document: Document
        /// About which transaction; `nil`: about the one that was bought last.
        public var reference: TransactionReference?
        /// Whose transaction; `nil` where the reference says it.
        public var person: CustomerID?
        /// The members that are looked at, in the order of the text.
        public var members: [Member]

        /// Makes an expectation.
        public init(
            _ document: Document, of reference: TransactionReference? = nil, person: CustomerID? = nil,
            members: [Member]
        ) {
            self.document = document
            self.reference = reference
            self.person = person
            self.members = members
        }
    }
}

extension ScenarioExpectation.Signed.Document {
    /// What a member is, so that a text can be read as it.
    enum Kind { case text, whole, flag, date, list, object }

    /// The members that the App Store signs, by their names.
    var members: [String: Kind] {
        switch self {
        case .transaction: Self.ofTransaction
        case .renewal: Self.ofRenewal
        case .notification: Self.ofNotification
        }
    }

    private static func table(_ kinds: [(Kind, [String])]) -> [String: Kind] {
        var table: [String: Kind] = [:]
        for (kind, names) in kinds { for name in names { table[name] = kind } }
        return table
    }

    private static let ofTransaction = table([
        (
            .text,
            [
                "transactionId", "originalTransactionId", "webOrderLineItemId", "bundleId", "productId",
                "subscriptionGroupIdentifier", "type", "appAccountToken", "inAppOwnershipType", "revocationType",
                "offerIdentifier", "offerDiscountType", "offerPeriod", "environment", "storefront", "storefrontId",
                "transactionReason", "currency", "appTransactionId", "billingPlanType",
            ]
        ),
        (
            .whole,
            [
                "quantity", "revocationReason", "revocationPercentage", "offerType", "price",
                "commitmentInfo.billingPeriodNumber", "commitmentInfo.totalBillingPeriods",
                "commitmentInfo.commitmentPrice",
            ]
        ),
        (.flag, ["isUpgraded"]),
        (
            .date,
            [
                "purchaseDate", "originalPurchaseDate", "expiresDate", "signedDate", "revocationDate",
                "commitmentInfo.commitmentExpiresDate",
            ]
        ),
        (.object, ["commitmentInfo"]),
    ])

    private static let ofRenewal = table([
        (
            .text,
            [
                "originalTransactionId", "productId", "autoRenewProductId", "environment", "appTransactionId",
                "appAccountToken", "currency", "offerIdentifier", "offerDiscountType", "offerPeriod",
                "renewalBillingPlanType", "commitmentInfo.commitmentAutoRenewProductId",
                "commitmentInfo.commitmentRenewalBillingPlanType",
            ]
        ),
        (
            .whole,
            [
                "autoRenewStatus", "expirationIntent", "priceIncreaseStatus", "offerType", "renewalPrice",
                "commitmentInfo.commitmentAutoRenewStatus", "commitmentInfo.commitmentRenewalPrice",
            ]
        ),
        (.flag, ["isInBillingRetryPeriod"]),
        (
            .date,
            [
                "gracePeriodExpiresDate", "recentSubscriptionStartDate", "renewalDate", "signedDate",
                "commitmentInfo.commitmentRenewalDate",
            ]
        ),
        (.list, ["eligibleWinBackOfferIds"]),
        (.object, ["commitmentInfo"]),
    ])

    private static let ofNotification = table([
        (
            .text,
            [
                "notificationType", "subtype", "notificationUUID", "version", "data.bundleId", "data.bundleVersion",
                "data.environment", "data.consumptionRequestReason", "summary.productId", "summary.environment",
                "summary.requestIdentifier", "summary.bundleId",
            ]
        ),
        (
            .whole,
            [
                "data.status", "data.appAppleId", "summary.succeededCount", "summary.failedCount",
                "summary.appAppleId",
            ]
        ),
        (.date, ["signedDate"]),
        (.list, ["summary.storefrontCountryCodes"]),
        (.object, ["data", "summary", "data.signedTransactionInfo", "data.signedRenewalInfo"]),
    ])
}

// MARK: Reading

extension StepDraft {
    /// What is expected of what was signed, one for each document.
    func signedExpectations() throws(ScenarioError) -> [ScenarioExpectation] {
        typealias Document = ScenarioExpectation.Signed.Document
        let known = Document.allCases.map(\.rawValue)
        let documents = try value.members("what is signed", among: known)
        guard !value.isEmpty, !documents.isEmpty else {
            throw key.error("nothing is expected", "write it like 'transaction: { price: 4990 }'")
        }
        let reference = members["purchase"].map { subject($0) }
        // Whose it is need not be said where the purchase has a name.
        let person: CustomerID? =
            if case .id? = reference { somebody() } else { person() }
        return Document.allCases.compactMap { document in
            guard let node = documents[document.rawValue] else { return nil }
            let before = node.mistakes.count
            let members = signedMembers(node, of: document, within: "")
            if members.isEmpty, node.mistakes.count == before {
                node.note("'\(document.rawValue)' names no member", "write it like 'price: 4990'")
            }
            return .signed(
                ScenarioExpectation.Signed(document, of: reference, person: person, members: members))
        }
    }

    private func signedMembers(
        _ node: ScenarioNode, of document: ScenarioExpectation.Signed.Document, within prefix: String
    ) -> [ScenarioExpectation.Signed.Member] {
        let table = document.members
        let pairs = node.attempt { () throws(ScenarioError) in
            try node.pairs(prefix.isEmpty ? "'\(document.rawValue)'" : "'\(prefix.dropLast())'")
        }
        return (pairs ?? []).flatMap { pair -> [ScenarioExpectation.Signed.Member] in
            let name = prefix + pair.word
            guard let kind = table[name] else {
                let known = table.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
                pair.key.note(
                    "the App Store signs no '\(name)' in a \(document.rawValue)",
                    NearestWord.advice(for: pair.word, among: known.sorted()))
                return []
            }
            if pair.value.isMapping, kind == .object {
                return signedMembers(pair.value, of: document, within: name + ".")
            }
            let value = pair.value.attempt { () throws(ScenarioError) in
                try Self.signedValue(pair.value, name, kind)
            }
            return value.map { [ScenarioExpectation.Signed.Member(name, $0)] } ?? []
        }
    }

    private static func signedValue(
        _ node: ScenarioNode, _ name: String, _ kind: ScenarioExpectation.Signed.Document.Kind
    ) throws(ScenarioError) -> ScenarioExpectation.Signed.Value {
        if kind == .list, node.scalarText != "none", node.scalarText != "any" {
            let texts = try node.texts(name)
            // What is typed has no brackets: a,b.
            return .list(texts.flatMap { $0.split(separator: ",").map(String.init) })
        }
        let text = try node.text(name)
        switch (text, kind) {
        case ("none", _): return .absent
        case ("any", _): return .present
        case (_, .whole): return .whole(try node.integer(name))
        case (_, .flag): return .flag(try node.flag(name))
        case (_, .date): return .time(try node.instant(name))
        case (_, .object): throw node.error("'\(name)' has members of its own", "write 'none', 'any' or its members")
        default: return .text(text)
        }
    }
}

// MARK: Writing

extension ScenarioExpectation.Signed.Value {
    /// The value as scenarios write it.
    var text: String {
        switch self {
        case .absent: "none"
        case .present: "any"
        case .whole(let number): "\(number)"
        case .text(let text): text
        case .flag(let flag): flag ? "true" : "false"
        case .time(let instant): instant.scenarioText
        case .list(let items): items.joined(separator: ",")
        }
    }
}

extension ScenarioExpectation.Signed {
    /// The expectation in one line: `signed transaction offerType 3, price 4990`.
    var text: String {
        let members = members.map { "\($0.name) \($0.value.text)" }.joined(separator: ", ")
        return "signed \(subject) \(members)"
    }

    /// What is looked at, in words.
    var subject: String {
        switch reference {
        case nil: document.rawValue
        case .id(let id): "\(document.rawValue) of \(id)"
        case .latest(let product, _): "\(document.rawValue) of \(product)"
        }
    }
}
