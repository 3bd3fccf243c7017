import Foundation
import Storekeeper

/// A call as a line of the file.
///
/// It contains evidence as signed.
enum CallLine: Codable {
    case commit(Batch)
    case claim(Subject, customer: String, at: Instant)
    case move([Request], refunds: String)
    case markDelivery(Key, state: String?)
    case setCursor(String, backend: String)
    case erase(customer: String, reason: String, at: Instant)

    init(_ call: Call) {
        self =
            switch call {
            case .commit(let batch): .commit(Batch(batch))
            case .claim(let subject, let customer, let instant):
                .claim(Subject(subject), customer: customer.rawValue, at: instant)
            case .move(let requests, let policy): .move(requests.map(Request.init), refunds: policy.rawValue)
            case .markDelivery(let key, let state): .markDelivery(Key(key), state: state?.rawValue)
            case .setCursor(let cursor, let backend): .setCursor(cursor.rawValue, backend: backend)
            case .erase(let customer, let reason, let instant):
                .erase(customer: customer.rawValue, reason: reason, at: instant)
            }
    }

    /// Returns the call after a verifier has verified its evidence.
    func call(believedBy verifier: some TransactionVerifier) throws -> Call {
        switch self {
        case .commit(let batch): .commit(try batch.batch(believedBy: verifier))
        case .claim(let subject, let customer, let instant):
            .claim(subject.subject, CustomerID(rawValue: customer), instant)
        case .move(let requests, let refunds): .move(requests.map(\.request), try Self.known(refunds))
        case .markDelivery(let key, let state): .markDelivery(key.key, try state.map { try Self.known($0) })
        case .setCursor(let cursor, let backend): .setCursor(UpdateCursor(rawValue: cursor), backend)
        case .erase(let customer, let reason, let instant): .erase(CustomerID(rawValue: customer), reason, instant)
        }
    }

    /// Reads a value that the file stores as a word.
    private static func known<Value: RawRepresentable<String>>(_ word: String) throws -> Value {
        guard let value = Value(rawValue: word) else {
            throw VaultError(.corrupt, "the file has an unknown \(Value.self), '\(word)'")
        }
        return value
    }
}

extension CallLine {
    struct Batch: Codable {
        enum Recipient: Codable { case customer(String), owner(primary: String?) }

        let recipient: Recipient
        let at: Instant
        /// Compact JWS.
        let facts: [String]
        let expectedOwn: [Int]?
        /// The catalog, as a product list in JSON; `nil` if it is empty.
        let catalog: String?
        let policy: EntitlementPolicy
        let expectedVersion: Int64?
        let events: [StoreEvent.Change]
        let evaluatedThrough: Instant?
        let wakeAt: Instant?
        let syncedAt: Instant?
        let pending: [PendingPurchase]
        let settledPending: [Product.ID]
        let access: AccessChange?
        let owesDelivery: Bool
        let notifications: [ServerNotification.ID]
        let step: String?

        init(_ batch: CommitBatch) {
            recipient =
                switch batch.recipient {
                case .customer(let id): .customer(id.rawValue)
                case .owner(let id): .owner(primary: id?.rawValue)
                }
            at = batch.at
            facts = batch.facts.map(\.jwsRepresentation)
            expectedOwn = batch.expectedOwn
            catalog =
                batch.rule.catalog.products.isEmpty
                ? nil : String(decoding: batch.rule.catalog.written(as: .json).bytes, as: UTF8.self)
            policy = batch.rule.policy
            expectedVersion = batch.expectedVersion
            events = batch.events
            evaluatedThrough = batch.evaluatedThrough
            wakeAt = batch.wakeAt
            syncedAt = batch.syncedAt
            pending = batch.pending
            settledPending = batch.settledPending.sorted()
            access = batch.access
            owesDelivery = batch.owesDelivery
            notifications = batch.notifications
            step = batch.step?.description
        }

        func batch(believedBy verifier: some TransactionVerifier) throws -> CommitBatch {
            let believed = try facts.map { jws in
                guard let fact = VerifiedFact(jws, verifiedBy: verifier) else {
                    throw VaultError(.corrupt, "the file has evidence that fails verification")
                }
                return fact
            }
            let recipient: EvidenceRecipient =
                switch recipient {
                case .customer(let id): .customer(CustomerID(rawValue: id))
                case .owner(let id): .owner(primary: id.map(CustomerID.init(rawValue:)))
                }
            let files = catalog.map { [CatalogFile(name: "catalog.json", bytes: Array($0.utf8))] }
            var batch = CommitBatch(
                for: recipient, at: at, facts: believed, expectedOwn: expectedOwn,
                rule: LedgerRule(catalog: try files.map(Catalog.init(reading:)) ?? .empty, policy: policy),
                expectedVersion: expectedVersion, events: events, evaluatedThrough: evaluatedThrough, wakeAt: wakeAt,
                syncedAt: syncedAt, pending: pending, settledPending: Set(settledPending), access: access,
                owesDelivery: owesDelivery, notifications: notifications)
            batch.step = step.flatMap(StepID.init)
            return batch
        }
    }

    enum Subject: Codable {
        case chain(Key)
        case token(UUID)

        init(_ subject: BindingSubject) {
            switch subject {
            case .chain(let chain):
                self = .chain(
                    Key(
                        bundleID: chain.bundleID, environment: chain.environment.rawValue, id: chain.originalID.rawValue
                    ))
            case .token(let token): self = .token(token)
            }
        }

        var subject: BindingSubject {
            switch self {
            case .chain(let key):
                .chain(
                    ChainID(
                        bundleID: key.bundleID, environment: key.key.environment, originalID: key.key.transactionID))
            case .token(let token): .token(token)
            }
        }
    }

    /// The key of a transaction, or of the first of a chain.
    struct Key: Codable {
        let bundleID: String
        let environment: String
        let id: String

        init(bundleID: String, environment: String, id: String) {
            (self.bundleID, self.environment, self.id) = (bundleID, environment, id)
        }

        init(_ key: TransactionKey) {
            self.init(bundleID: key.bundleID, environment: key.environment.rawValue, id: key.transactionID.rawValue)
        }

        var key: TransactionKey {
            TransactionKey(
                bundleID: bundleID, environment: AppStore.Environment(rawValue: environment),
                transactionID: Transaction.ID(rawValue: id))
        }
    }

    struct Request: Codable {
        enum Kind: Codable { case spend, grant(reason: String) }

        let kind: Kind
        let customer: String
        let balance: Balance.ID
        let quantity: Int64
        let key: LedgerRequest.Key
        let at: Instant

        init(_ request: LedgerRequest) {
            kind =
                switch request.kind {
                case .spend: .spend
                case .grant(let reason): .grant(reason: reason)
                }
            (customer, balance) = (request.customer.rawValue, request.balance)
            (quantity, key, at) = (request.quantity, request.key, request.at)
        }

        var request: LedgerRequest {
            let customer = CustomerID(rawValue: customer)
            return switch kind {
            case .spend: .spend(quantity, of: balance, by: customer, key: key, at: at)
            case .grant(let reason): .grant(quantity, of: balance, to: customer, because: reason, key: key, at: at)
            }
        }
    }
}
