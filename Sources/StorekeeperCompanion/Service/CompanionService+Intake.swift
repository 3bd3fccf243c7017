import FoundationEssentials
import Hummingbird
import Logging
import Storekeeper
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
            throw Problem(failure)
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
    func takeTransactions(_ request: CompanionRequest) async throws -> Response {
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
        let codes = JSONText.array((report.failures + failures).map { .string($0.code.rawValue) })
        guard report.failures.count < count else {
            let remedy =
                receipts.isEmpty
                ? "send the jwsRepresentation of StoreKit's transactions"
                : "check 'root', 'bundleID' and 'environments' of the service"
            var problem = Problem(.notBelieved, failures.first?.message ?? remedy)
            problem.members["failures"] = codes
            throw problem
        }
        return Self.json(
            // The result does not name the customers who own other customers' evidence.
            .object([
                "items": .whole(count + failures.count), "new": .whole(report.new), "known": .whole(report.known),
                "parked": .whole(report.parked),
                "conflicts": .array(report.conflicts.map { .string($0.originalTransactionID.rawValue) }),
                "failures": codes,
                "unverifiedReceipts": unverified.isEmpty
                    ? .null : .array(unverified.map { .string($0.code.rawValue) }),
            ]))
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
    func claim(_ request: CompanionRequest) async throws -> Response {
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
        case .claimed(let report): return Self.json(.object(["claimed": .bool(true), "new": .whole(report.new)]))
        case .refused(let holder):
            var problem = Problem(.claimed, "a claim is permanent")
            problem.members["holder"] = .string(holder.rawValue)
            throw problem
        }
    }

    /// Moves a purchase or an app account token from its owner to a customer.
    func transfer(_ request: CompanionRequest) async throws -> Response {
        let object = try await request.object()
        let customer = try request.customer()
        let subject = try await subject(in: object)
        guard let reason = try CompanionRequest.text("reason", in: object) else {
            throw Problem.badRequest("'reason' is missing", "give a reason, which both accounts record")
        }
        try CompanionRequest.check(reason, "reason")
        let receipt = try await move(subject, to: customer, because: reason, request)
        return Self.json(
            .object([
                "transferred": .bool(true), "from": .text(receipt.previousOwner?.rawValue),
                "purchases": .array(receipt.chains.map { .string($0.originalID.rawValue) }),
            ]))
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
            let environment =
                name.map(AppStore.Environment.init(rawValue:)) ?? configuration.environments.first ?? .production
            let chain = ChainID(
                bundleID: bundleID, environment: environment, originalID: Transaction.ID(rawValue: text))
            guard try await pool.vault.chains(originalID: chain.originalID).contains(chain) else {
                throw Problem(
                    .unknownPurchase,
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
    func parked(_ request: CompanionRequest) async throws -> Response {
        let place = FeedPlace(try number("after", in: request, 0...Int64.max) ?? 0)
        let limit = Int(try number("limit", in: request, 1...1_000) ?? 100)
        let page = try await pool.vault.parked(after: place, limit: limit)
        return Self.json(
            .object([
                "parked": .array(
                    // A notification is parked beside the evidence inside it.
                    page.rows.filter { $0.fact.notification == nil }.map { parked in
                        .object([
                            "since": .time(parked.since), "reason": .string(parked.reason.rawValue),
                            "transactionID": .text(parked.fact.transaction?.id.rawValue),
                            "originalTransactionID": .string(parked.fact.originalID.rawValue),
                            "productID": .text(parked.fact.productID),
                        ])
                    }),
                "next": page.next.map { .integer($0.number) } ?? .null,
            ]))
    }

    func number(
        _ name: String, in request: CompanionRequest, _ range: ClosedRange<Int64>
    ) throws(Problem) -> Int64? {
        guard let text = try request.parameter(name) else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            throw .badRequest(
                "'\(name)' is not a whole number from \(range.lowerBound) to \(range.upperBound)", "give one")
        }
        return number
    }
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
