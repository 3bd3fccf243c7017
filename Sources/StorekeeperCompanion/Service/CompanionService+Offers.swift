import FoundationEssentials
import Hummingbird
import Storekeeper
import StorekeeperAppStore

/// The routes that show which offers a customer may have, and that sign offers.
extension CompanionService {
    /// Responds with the same document as `storekeeper offers --format json`.
    func offers(_ request: CompanionRequest) async throws -> Response {
        let instant = try request.instant("at")
        let product = try request.parameter("product").map { Product.ID($0) }
        let (answers, diagnostics) = try await pool.withStore(try request.customer()) { store in
            let (snapshot, at, diagnostics) = try await store.diagnosed(at: instant, now: request.now)
            if let product { try Self.checkIsKnown(product, in: snapshot.resolution.catalog) }
            let offers = try await store.offers(at: at)
            return (product.map { id in offers.only { $0.productID == id } } ?? offers, diagnostics)
        }
        var members = answers.members
        members["diagnostics"] = .array(diagnostics.map(\.json))
        return Self.json(.object(members))
    }

    private static func checkIsKnown(_ id: Product.ID, in catalog: Catalog) throws(Problem) {
        guard catalog.product(id) == nil else { return }
        throw .unknownName(.unknownProduct, id.rawValue, known: catalog.products.map(\.id.rawValue))
    }

    /// Signs an offer for a customer, and responds with the signature.
    ///
    /// A promotional offer is signed if the customer is eligible. For the introductory offer, the signature confirms
    /// whether the customer is eligible.
    func signOffer(_ request: CompanionRequest) async throws -> Response {
        guard let offerSigner = configuration.offerSigner else {
            throw Problem(.noOffers, "start the service with an offer key")
        }
        let object = try await request.object()
        let kind = try CompanionRequest.text("kind", in: object) ?? "promotional"
        switch kind {
        case "promotional": return try await signPromotionalOffer(request, object, offerSigner)
        case "introductory": return try await signIntroductoryOffer(request, object, offerSigner)
        default: throw Problem.badRequest("'kind' is '\(kind.prefix(64))'", "write promotional or introductory")
        }
    }

    private func signPromotionalOffer(
        _ request: CompanionRequest, _ object: JSONObject, _ offerSigner: OfferSigner
    ) async throws -> Response {
        guard object["allow"] == nil else {
            throw Problem.badRequest("'allow' belongs to introductory offers", "leave it out, or add a kind")
        }
        guard let name = try CompanionRequest.text("product", in: object) else {
            throw Problem.badRequest("'product' is missing", "give the product of the offer")
        }
        let offer = PromotionalOffer(
            productID: Product.ID(name), offerID: SubscriptionOffer.ID(try request.name("offer")))
        let customer = try request.customer()
        let account = try CompanionRequest.text("account", in: object)
        let transactionID = try CompanionRequest.text("transactionID", in: object)
        guard account != nil || transactionID != nil else {
            throw Problem.badRequest(
                "neither 'account' nor 'transactionID' is given, so the signature would hold for every customer",
                "give the customer's account for the signature, a transaction of theirs for the JWS, or both")
        }
        if let account { try await checkOwner(ofAccount: account, is: customer) }
        if let transactionID { try await checkOwner(of: transactionID, is: customer) }
        let answers = try await pool.withStore(customer) { store in
            try Self.checkIsKnown(offer.productID, in: store.snapshot.resolution.catalog)
            return try await store.offers(at: store.snapshot.now(byClock: request.now))
        }
        let rows = answers.rows.filter { $0.productID == offer.productID && $0.offer.kind == .promotional }
        guard let row = rows.first(where: { $0.offer.id == offer.offerID }) else {
            throw Problem.unknownName(
                .unknownOffer, offer.offerID.rawValue, known: rows.compactMap(\.offer.id?.rawValue))
        }
        guard row.answer.isEligible else { throw Problem(row.answer) }
        let nonce = UUID()
        var members: [String: JSONText] = [
            "product": .text(offer.productID), "offer": .text(offer.offerID),
            "nonce": .string(nonce.uuidString.lowercased()),
        ]
        do throws(AppStoreServerError) {
            // Each form is made only if it names the customer; without a name, it would hold for every customer.
            if let account {
                let signature = try offerSigner.promotionalOfferSignature(offer, account: account, nonce: nonce)
                members.merge(signature.members) { own, _ in own }
            }
            if let transactionID {
                members["jws"] = .string(
                    try await offerSigner.promotionalOffer(offer, transactionID: transactionID, nonce: nonce))
            }
        } catch {
            throw Problem.badRequest(error.message, "correct the offer or the account")
        }
        return Self.json(.object(members))
    }

    /// Throws a ``Problem`` unless an account of an app is the customer's: their id, or a token that belongs to them.
    private func checkOwner(ofAccount account: String, is customer: CustomerID) async throws {
        // The signature contains the account in lower case, which could be the id of another customer.
        if CustomerID(rawValue: account.lowercased()) == customer { return }
        guard let token = UUID(uuidString: account) else {
            throw Problem.notTheirs(
                "account", "use the customer's id in lower case, or an appAccountToken that belongs to the customer")
        }
        switch try await pool.vault.holders(of: [.token(token)])[.token(token)] {
        case customer?: return
        case nil: throw Problem.notTheirs("account", "claim the token for the customer first")
        case .some: throw Problem.anothers("account")
        }
    }

    /// Throws a ``Problem`` unless the vault has the transaction, or the app transaction, as the customer's.
    ///
    /// Without this check, the service could check the eligibility of one customer but sign the offer for another
    /// customer.
    private func checkOwner(of id: String, is customer: CustomerID) async throws {
        var chains = try await pool.vault.chains(
            ofTransaction: Transaction.ID(id), bundleID, configuration.environments)
        for environment in configuration.environments {
            for name in [id, "app:\(id)"] {
                chains.append(
                    ChainID(bundleID: bundleID, environment: environment, originalID: Transaction.ID(name)))
            }
        }
        let holders = try await pool.vault.holders(of: chains.map { .chain($0) })
        guard holders.values.allSatisfy({ $0 == customer }) else { throw Problem.anothers("transactionID") }
        if !holders.isEmpty { return }
        // A purchase names the app transaction, so the app transaction itself need not be in the vault.
        let isNamed = try await pool.withStore(customer) { store in
            try await store.allTransactions.contains { $0.appTransactionID?.hasSameBytes(as: id) == true }
        }
        guard isNamed else {
            throw Problem.notTheirs("transactionID", "submit the customer's transaction or app transaction first")
        }
    }

    /// Responds with a signed statement of whether a customer gets the introductory offer.
    ///
    /// The request may contain this decision. If not, the customer's purchases decide.
    private func signIntroductoryOffer(
        _ request: CompanionRequest, _ object: JSONObject, _ offerSigner: OfferSigner
    ) async throws -> Response {
        guard try request.name("offer") == "introductory", object["account"] == nil else {
            throw Problem.badRequest(
                "an introductory offer has no id, and its signature names no account",
                "use …/offers/introductory/signature without 'account'")
        }
        guard let name = try CompanionRequest.text("product", in: object) else {
            throw Problem.badRequest("'product' is missing", "give the product of the offer")
        }
        guard let transactionID = try CompanionRequest.text("transactionID", in: object) else {
            throw Problem.badRequest(
                "'transactionID' is missing", "give a transaction of the customer, or their app transaction id")
        }
        let wish = object["allow"]?.bool
        guard object["allow"] == nil || wish != nil else {
            throw Problem.badRequest("'allow' is not true or false", "write true or false, or leave it out")
        }
        try await checkOwner(of: transactionID, is: try request.customer())
        let product = Product.ID(name)
        let answers = try await pool.withStore(try request.customer()) { store in
            try Self.checkIsKnown(product, in: store.snapshot.resolution.catalog)
            return try await store.offers(at: store.snapshot.now(byClock: request.now))
        }
        guard let row = answers.rows.first(where: { $0.productID == product && $0.offer.kind == .introductory }) else {
            throw Problem.unknownName(.unknownOffer, "introductory", known: [])
        }
        if wish == nil, case .unknown = row.answer { throw Problem(row.answer) }
        let isAllowed = wish ?? row.answer.isEligible
        let nonce = UUID()
        do throws(AppStoreServerError) {
            let compact = try await offerSigner.introductoryOfferEligibility(
                isAllowed, of: product, transactionID: transactionID, nonce: nonce)
            return Self.json(
                .object([
                    "product": .text(product), "offer": .string("introductory"), "allowed": .bool(isAllowed),
                    "answer": .string(row.answer.word), "reason": .string(row.answer.reasonWord),
                    "nonce": .string(nonce.uuidString.lowercased()), "jws": .string(compact),
                ]))
        } catch {
            throw Problem.badRequest(error.message, "correct the request")
        }
    }
}

extension PromotionalOfferSignature {
    /// The members of the response with which an app asks for the offer.
    fileprivate var members: [String: JSONText] {
        [
            "keyID": .string(keyID), "timestamp": .integer(signedAt.millisecondsSince1970),
            "signature": .string(signature),
            "until": .time(signedAt.adding(milliseconds: Self.lifetime * 1000)),
        ]
    }
}

extension Problem {
    /// Returns the refusal to sign for an account or transaction of another customer.
    fileprivate static func anothers(_ member: String) -> Problem {
        Problem(
            .claimed, title: "The account or transaction belongs to another customer",
            "'\(member)' is another customer's: name one of this customer; nothing was signed")
    }

    /// Returns the refusal to sign for an account or transaction that nothing shows to be the customer's.
    fileprivate static func notTheirs(_ member: String, _ remedy: String) -> Problem {
        Problem(.unclaimed, "'\(member)' may be another customer's: \(remedy); nothing was signed")
    }

    /// Creates the problem details (RFC 9457) of the response that refuses to sign an offer.
    fileprivate init(_ answer: OfferAnswer) {
        if case .unknown = answer {
            self.init(.undecided, "the reason is '\(answer.reasonWord)'; submit the customer's transactions")
        } else {
            self.init(.ineligible, "the reason is '\(answer.reasonWord)'; nothing was signed")
        }
    }
}
