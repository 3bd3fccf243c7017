import FoundationEssentials
import Storekeeper

/// The actions that the caller may carry out for a customer, each with a confirmation, and the reasons why other
/// actions are missing.
struct DeskActions {
    /// The actions of the desk, and the scopes that permit them.
    enum Action: CaseIterable {
        case grant, fetch, claim, transfer, erase, webhooks

        /// The smallest scope that permits the action.
        var scope: Scope {
            switch self {
            case .grant, .fetch: .grant
            case .claim: .claim
            case .transfer, .erase, .webhooks: .admin
            }
        }

        var name: DeskText {
            switch self {
            case .grant: .actionGrant
            case .fetch: .actionFetch
            case .claim: .actionClaim
            case .transfer: .actionTransfer
            case .erase: .actionErase
            case .webhooks: .actionResume
            }
        }

        /// The scopes that permit the action: the smallest scope and `admin`.
        private var scopes: [Scope] { scope == .admin ? [.admin] : [scope, .admin] }

        /// Returns the reason why a caller may not carry out the action; `nil` if the caller may carry it out.
        func refusal(of caller: Caller?, _ texts: DeskTexts) -> String? {
            guard let caller else { return texts(name) }
            guard !caller.has(scope) else { return nil }
            return texts(
                .scopeNeeded,
                [
                    "action": texts(name),
                    "scopes": scopes.map(\.rawValue).joined(separator: " \(texts(.scopeOr)) "),
                    "own": caller.scopes,
                ])
        }
    }

    /// A form that asks for a confirmation.
    struct Form {
        let question: String
        let address: String
    }

    /// The form that assigns a purchase to the customer.
    struct Claim {
        /// The text that was typed into the form.
        let typed: String
        let isOpen: Bool
        /// The question to confirm; `nil` if the purchase cannot be assigned.
        let question: String?
        /// The reason why the purchase cannot be assigned.
        let mistake: String?
        let address: String
        /// The form that moves the purchase from its owner; `nil` if it cannot be moved.
        let transfer: Form?
    }

    let customer: String
    let fetch: Form?
    let claim: Claim?
    let erase: Form?
    /// A sentence for each missing action, with the reason.
    let refusals: [String]

    /// Makes the actions.
    ///
    /// - Parameters:
    ///   - claimed: The purchase that was typed into the form, and its owner.
    ///   - isKnown: Whether the vault has data about the customer. Purchases can be assigned to a customer of whom it
    ///     has no data.
    ///   - canFetch: Whether the service can ask Apple.
    ///   - hasPurchase: Whether the customer has a transaction that a request to Apple can name.
    init(
        for caller: Caller?, claiming claimed: DeskClaim?, isKnown: Bool = true, canFetch: Bool, hasPurchase: Bool,
        _ place: DeskPlace, _ format: DeskFormat
    ) {
        let texts = format.texts
        customer = place.customer
        func address(_ path: String) -> String { DeskPlace.posting(to: path, place) }
        let name = caller?.name ?? ""
        var refusals = isKnown ? [Action.grant].compactMap { $0.refusal(of: caller, texts) } : []
        if !isKnown {
            fetch = nil
        } else if let refusal = Action.fetch.refusal(of: caller, texts) {
            fetch = nil
            refusals.append(refusal)
        } else if canFetch, hasPurchase {
            fetch = Form(
                question: texts(.fetchQuestion, ["customer": place.customer]), address: address("/desk/fetches"))
        } else {
            fetch = nil
            refusals.append(texts(canFetch ? .fetchNoPurchase : .fetchNoKey))
        }
        if let refusal = Action.claim.refusal(of: caller, texts) {
            claim = nil
            refusals.append(refusal)
        } else {
            var (question, mistake): (String?, String?)
            var transfer: Form?
            switch claimed?.state {
            case .free:
                question = [
                    isKnown ? nil : texts(.claimNewCustomer, ["customer": place.customer]),
                    texts(
                        .claimQuestion,
                        ["purchase": claimed?.words(format) ?? "", "customer": place.customer, "name": name]),
                ].compactMap(\.self).joined(separator: " ")
            case .owned(let holder) where holder.rawValue.hasSameBytes(as: place.customer):
                mistake = texts(.claimOwn, ["purchase": claimed?.name ?? ""])
            case .owned(let holder):
                let values: KeyValuePairs = [
                    "purchase": claimed?.words(format) ?? "", "holder": holder.rawValue, "customer": place.customer,
                    "name": name,
                ]
                if let refusal = Action.transfer.refusal(of: caller, texts) {
                    mistake = texts(.claimOwned, values)
                    refusals.append(refusal)
                } else {
                    transfer = Form(question: texts(.transferQuestion, values), address: address("/desk/transfers"))
                }
            case .unknown where canFetch:
                question = texts(
                    .claimFetchQuestion,
                    ["purchase": claimed?.name ?? "", "customer": place.customer, "name": name])
            case .unknown: mistake = texts(.claimUnknown, ["purchase": claimed?.name ?? ""])
            case nil: break
            }
            claim = Claim(
                typed: claimed?.name ?? "", isOpen: claimed != nil, question: question, mistake: mistake,
                address: address("/desk/claims"), transfer: transfer)
        }
        if !isKnown {
            erase = nil
        } else if let refusal = Action.erase.refusal(of: caller, texts) {
            erase = nil
            refusals.append(refusal)
        } else {
            erase = Form(
                question: texts(.eraseHint, ["customer": place.customer]), address: address("/desk/erasures"))
        }
        self.refusals = refusals
    }
}

extension DeskPlace {
    /// Returns the URL to which a form is posted.
    ///
    /// The URL does not name the customer, because a field of the form names the customer.
    static func posting(to path: String, _ place: DeskPlace) -> String { place.ofCustomer("").address(path) }
}

/// A purchase or token that is to be assigned to a customer.
struct DeskClaim: Sendable {
    enum State: Sendable {
        case free
        case owned(CustomerID)
        case unknown
    }

    /// The submitted text that names the purchase or token.
    let name: String
    let state: State
    /// The chain or token that can be bound; `nil` if the vault does not have it, or if it already has an owner.
    let subject: BindingSubject?
    /// The chain or token that has an owner, from whom it can be moved.
    let movable: BindingSubject?
    /// The first known transaction of the purchase; `nil` if none is known.
    let purchase: Transaction?

    /// Looks up a purchase by its original transaction id, or a token; `nil` if the text cannot be either id.
    init?(_ typed: String, in vault: any TransactionalVault, bundleID: String) async throws(VaultError) {
        name = DeskSearch.trimmed(typed)
        guard !name.isEmpty, name.utf8.count <= 512, !name.utf8.contains(0) else { return nil }
        let subjects: [BindingSubject]
        if let token = UUID(uuidString: name) {
            subjects = [.token(token)]
        } else {
            subjects = try await vault.chains(originalID: Transaction.ID(name))
                .filter { $0.bundleID.hasSameBytes(as: bundleID) }.map { .chain($0) }
        }
        let holders = subjects.isEmpty ? [:] : try await vault.holders(of: subjects)
        if let free = subjects.first(where: { holders[$0] == nil }) {
            (state, subject, movable) = (.free, free, nil)
            purchase = try await vault.parkedPurchase(of: free)
        } else {
            subject = nil
            movable = subjects.first { holders[$0] != nil }
            state = movable.flatMap { holders[$0] }.map { .owned($0) } ?? .unknown
            if case .chain(let chain)? = movable {
                purchase = try await vault.originalTransaction(of: chain)
            } else {
                purchase = nil
            }
        }
    }

    /// Returns the product, the date and the price of the purchase, with the submitted text.
    func words(_ format: DeskFormat) -> String {
        purchase.map { "\(format.purchase($0)) (\(name))" } ?? name
    }
}

extension TransactionalVault {
    /// Returns the first of the parked transactions of a chain, or with a token; `nil` if no transaction is parked.
    func parkedPurchase(of subject: BindingSubject) async throws(VaultError) -> Transaction? {
        let limit = 100
        let footprint: Footprint =
            switch subject {
            case .chain(let chain): [.parkedChain(of: chain)]
            case .token(let token): [.parkedToken(token)]
            }
        let parked = try await read(footprint) { tables throws(VaultError) -> [ParkedFact] in
            if case .chain(let chain) = subject {
                return try tables.parked(of: chain, after: .start, limit: limit).rows
            }
            return try tables.parked(under: [subject], limit: limit).rows
        }
        return parked.compactMap(\.fact.transaction).min { $0.purchasedAt < $1.purchasedAt }
    }

    /// Returns a stored copy of the original transaction of a chain; `nil` if the vault has none.
    func originalTransaction(of chain: ChainID) async throws(VaultError) -> Transaction? {
        let key = TransactionKey(
            bundleID: chain.bundleID, environment: chain.environment, transactionID: chain.originalID)
        let footprint: Footprint = [.copies(of: key)]
        return try await read(footprint) { tables throws(VaultError) in
            try tables.copies(of: key).first
        }
    }
}
