import FoundationEssentials
import Hummingbird
import Logging
package import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS

/// The routes for incoming evidence: Apple's notifications, transactions from the app, and claims.
extension CompanionService {
    /// Verifies the signature of a notification, stores the notification, and then acknowledges it.
    ///
    /// IP addresses that repeatedly post invalid notifications are blocked for a while.
    func takeNotification(_ request: CompanionRequest) async throws -> Response {
        let body: [UInt8]
        do throws(Problem) { body = try await request.bytes(upTo: receiver.sizeLimit) } catch {
            // If the service itself has no room for the body, the client is not to blame.
            if error != .busy { countRefusal(request, bytes: receiver.sizeLimit) }
            throw error
        }
        state.beginWrite()
        let reply = await receiver.receive(body)
        state.endWrite()
        state.record(reply.outcome, at: clock.now)
        switch reply.outcome {
        case .accepted, .repeated:
            state.countWrite(failure: nil)
            return Response(status: .ok)
        case .refused(let refusal):
            countRefusal(request, bytes: body.count)
            logRefusal(refusal, body, request.logger)
            var problem = Problem(refusal, status: reply.status)
            problem.members["cause"] = .text(refusal.cause?.code.rawValue)
            throw problem
        case .failed(let failure):
            logFailure("a notification was not stored: \(failure)", request.logger)
            throw Problem(failure, status: reply.status)
        }
    }

    /// Logs the reason why a notification was refused, and the notification's claims, such as its bundle id.
    ///
    /// The claims help to find the cause, which is usually a wrong configuration.
    ///
    /// The claims are not verified, and anyone may have sent them. The log therefore omits claims with unusual
    /// characters, and the number of lines is limited.
    private func logRefusal(_ refusal: NotificationRefusal, _ body: [UInt8], _ logger: Logger) {
        guard logLimits.wait(ofKey: "refusals in the log", perSecond: 5, burst: 50) == nil else { return }
        let claims = NotificationClaims(body)
        logger.warning(
            "a notification was refused: \(refusal.cause?.description ?? refusal.message)\(refusal.remedy)",
            metadata: [
                "code": "\(refusal.reasonCode)", "type": "\(claims?.type ?? "-")",
                "environment": "\(claims?.environment ?? "-")", "bundleID": "\(claims?.bundleID ?? "-")",
            ])
    }

    /// Stores transactions that the app presents for its customer, and responds with the result.
    ///
    /// Receipts of the original StoreKit are exchanged for transactions that the App Store has signed.
    func takeTransactions(_ request: CompanionRequest) async throws -> Intake {
        let items = try await request.evidence()
        guard !items.isEmpty else { throw Problem.badRequest("the body contains no transactions", "send at least one") }
        let customer = try request.customer()
        var (signed, receipts): ([String], [CheckedReceipt]) = ([], [])
        var failures: [VerificationError] = []
        for item in items {
            switch item {
            case .jws(let text, _): signed.append(String(decoding: text, as: UTF8.self))
            case .receipt(let bytes, _): receipts.append(receiptVerifier.verify(bytes))
            case .unsigned:
                failures.append(
                    VerificationError(.unsignedEvidence, "a decoded payload has no signature; send the JWS"))
            case .malformed(let message, _): failures.append(VerificationError(.malformed, message))
            }
        }
        try Self.checkCount(of: receipts)
        // Signed items are stored first, so that they count even if a receipt cannot be exchanged.
        var report = try await ingest(signed, of: customer, isClaimed: true)
        var count = signed.count
        var unverified: [VerificationError] = []
        for receipt in receipts {
            do {
                let texts = try await evidence(for: receipt, request)
                // Transaction ids are no secret, so only a verified receipt proves that the purchases in it belong to
                // the customer.
                let isClaimed = receipt.isVerified || request.caller?.has(.claim) == true
                report.add(try await ingest(texts, of: customer, isClaimed: isClaimed))
                count += texts.count
                if !isClaimed, let error = receipt.error { unverified.append(error) }
            } catch let error as VerificationError {
                failures.append(error)
            }
        }
        let codes = (report.failures + failures).map(\.code.rawValue)
        guard report.failures.count < count else {
            let remedy =
                receipts.isEmpty
                ? "send the jwsRepresentation of StoreKit's transactions"
                : "check 'root', 'bundleID' and 'environments' of the service"
            var problem = Problem(
                422, "notBelieved", "No transaction could be verified", failures.first?.message ?? remedy)
            problem.members["failures"] = codes.json
            throw problem
        }
        return Intake(
            report: report, items: count + failures.count, failures: codes,
            unverifiedReceipts: unverified.map(\.code.rawValue))
    }

    private func ingest(_ texts: [String], of customer: CustomerID, isClaimed: Bool) async throws -> IngestReport {
        guard !texts.isEmpty else { return IngestReport() }
        await receiver.learnRevocation(of: texts)
        let report = try await written {
            try await pool.withStore(customer) {
                try await $0.ingest(texts, isComplete: false, isClaimed: isClaimed)
            }
        }
        // A purchase whose certificates could not be checked is not wrong, and the app must send it again. Stored items
        // count once, so the app may send all of them.
        guard !report.failures.contains(where: { $0.code == .revocationUnknown }) else {
            throw Problem.revocationUnknown("send all transactions again")
        }
        return report
    }

    /// Claims a purchase or an app account token for a customer; the first claim assigns it permanently.
    func claim(_ request: CompanionRequest) async throws -> Claimed {
        let object = try await request.object()
        let customer = try request.customer()
        let outcome: ClaimOutcome
        switch try await subject(in: object) {
        case .token(let token):
            outcome = try await written { try await pool.withStore(customer) { try await $0.claim(token: token) } }
        case .chain(let chain):
            outcome = try await written { try await pool.withStore(customer) { try await $0.claim(chain) } }
        }
        switch outcome {
        case .claimed(let report): return Claimed(new: report.new)
        case .refused(let holder):
            var problem = Problem(
                409, "claimed", "The purchase or token belongs to another customer", "a claim is permanent")
            problem.members["holder"] = .string(holder.rawValue)
            throw problem
        }
    }

    /// Moves a purchase or an app account token from its owner to a customer.
    func transfer(_ request: CompanionRequest) async throws -> Transferred {
        let object = try await request.object()
        let customer = try request.customer()
        let subject = try await subject(in: object)
        guard let reason = try CompanionRequest.text("reason", in: object) else {
            throw Problem.badRequest("'reason' is missing", "give a reason, which both accounts record")
        }
        try CompanionRequest.check(reason, "reason")
        return Transferred(receipt: try await move(subject, to: customer, because: reason, request))
    }

    /// Moves a chain or token to a customer, and updates the store of its previous owner.
    func move(
        _ subject: BindingSubject, to customer: CustomerID, because reason: String, _ request: CompanionRequest
    ) async throws -> TransferReceipt {
        let caller = request.caller?.name
        let receipt = try await written {
            try await pool.withStore(customer) {
                try await $0.transfer(subject, because: reason, recordedBy: caller)
            }
        }
        if let owner = receipt.previousOwner { _ = try await pool.withStore(owner) { try await $0.refresh() } }
        return receipt
    }

    /// Returns the chain or token that a body names.
    ///
    /// A token may be claimed before its first purchase. A purchase of which the vault has no evidence is refused,
    /// because a mistyped or invented id would keep the purchase from its real owner.
    private func subject(in object: JSONObject) async throws -> BindingSubject {
        let (kind, text) = try CompanionRequest.choice("originalTransactionID", "token", in: object)
        let name = try CompanionRequest.text("environment", in: object)
        guard kind == "token" else {
            let environment = name.map(AppStore.Environment.init(rawValue:)) ?? environments.first ?? .production
            let chain = ChainID(
                bundleID: bundleID, environment: environment, originalID: Transaction.ID(rawValue: text))
            guard try await pool.vault.chains(originalID: chain.originalID).contains(chain) else {
                throw Problem(
                    404, "unknownPurchase", "Unknown purchase",
                    "the vault has no evidence of it in \(environment.rawValue.prefix(64)); check the id, or submit its transactions first"
                )
            }
            return .chain(chain)
        }
        guard let token = UUID(uuidString: text) else {
            throw Problem.badRequest("'token' is not a UUID", "give the appAccountToken of the purchase")
        }
        return .token(token)
    }

    /// Responds with a page of parked evidence, which does not count for a customer yet.
    func parked(_ request: CompanionRequest) async throws -> ParkedPage {
        let place = FeedPlace(try request.number(.after) ?? 0)
        let limit = Int(try request.number(.limit) ?? 100)
        let page = try await pool.vault.parked(after: place, limit: limit)
        // A notification is parked beside the evidence inside it.
        return ParkedPage(rows: page.rows.filter { $0.fact.notification == nil }, next: page.next)
    }
}

/// The result of submitting transactions; it does not name the customers who own other customers' evidence.
struct Intake: JSONShaped {
    fileprivate let report: IngestReport
    fileprivate let items: Int
    fileprivate let failures: [String]
    fileprivate let unverifiedReceipts: [String]

    static let shape = JSONShape<Self>(
        "Intake",
        [
            .member("items") { $0.items }, .member("new") { $0.report.new }, .member("known") { $0.report.known },
            .member("parked") { $0.report.parked },
            .member("conflicts", "Original transaction ids.") { $0.report.conflicts.map(\.originalTransactionID) },
            .member(
                "failures",
                "Error codes, as in storekeeper verify; of a receipt also noPurchase and unknownTransaction."
            ) { $0.failures },
            .member(
                "unverifiedReceipts",
                "The error codes of receipts that are not verified: their purchases were stored, and those without an "
                    + "owner were not assigned to the customer, because the key lacks the scope claim. Absent if there "
                    + "are none."
            ) { $0.unverifiedReceipts.ifAny },
        ])
}

/// The result of a claim.
struct Claimed: JSONShaped {
    fileprivate let new: Int

    static let shape = JSONShape<Self>("Claimed", [.member("claimed") { _ in true }, .member("new") { $0.new }])
}

/// The result of a transfer.
struct Transferred: JSONShaped {
    fileprivate let receipt: TransferReceipt

    static let shape = JSONShape<Self>(
        "Transferred",
        [
            .member("transferred") { _ in true },
            .member("from", "The owner before; absent if there was none or it was the customer.") {
                $0.receipt.previousOwner?.rawValue
            },
            .member("purchases") { $0.receipt.chains.map(\.originalID) },
        ])
}

/// A page of parked evidence.
struct ParkedPage: JSONShaped {
    fileprivate let rows: [ParkedFact]
    fileprivate let next: FeedPlace?

    static let shape = JSONShape<Self>(
        "ParkedPage",
        [
            .member("parked") { $0.rows },
            .member("next", "The 'after' of the next page; absent on the last.") { $0.next?.number },
        ])
}

extension ParkedFact: JSONShaped {
    package static let shape = JSONShape<ParkedFact>(
        "Parked",
        [
            .member("since") { $0.since }, .member("reason") { $0.reason.rawValue },
            .member("transactionID") { $0.fact.transaction?.id },
            .member("originalTransactionID") { $0.fact.originalID }, .member("productID") { $0.fact.productID },
        ])
}

extension NotificationRefusal {
    /// Advice on how to correct the most common configuration mistakes.
    fileprivate var remedy: String {
        switch cause?.code {
        case .environmentRefused?:
            "; if it is intended for this service, accept it with 'environments' in storekeeper.yaml"
        case .bundleMismatch?, .appMismatch?: "; compare its app with 'bundleID' in storekeeper.yaml"
        case .untrustedChain?: "; set 'root' in storekeeper.yaml to the root certificate of the signer"
        default: ""
        }
    }
}
