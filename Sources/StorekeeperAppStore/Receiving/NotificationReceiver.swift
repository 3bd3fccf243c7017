public import Storekeeper
public import StorekeeperJWS
import Synchronization

/// Receives notifications from the App Store, and verifies and stores each notification before acknowledging it.
///
/// A receiver works with any HTTP server. Pass the body of a request to ``receive(_:)``, and respond with the
/// ``NotificationReply/status`` of the reply. Notifications may arrive late, twice, concurrently and in any order,
/// because the newest-signed evidence counts.
///
/// ```swift
/// let reply = await receiver.receive(body)
/// return Response(status: reply.status)
/// ```
///
/// - SeeAlso: Apple, "Receiving App Store Server Notifications" and "Responding to App Store Server Notifications".
public final class NotificationReceiver: Sendable {
    /// The settings of a receiver.
    public struct Configuration: Sendable {
        /// The maximum size of a body in bytes.
        ///
        /// The App Store's largest notifications have about 40 KiB, with three signed items.
        public var sizeLimit: Int
        /// The time limit of a handler; the App Store waits only a few seconds for a response.
        public var handlerLimit: Duration

        /// Creates a configuration.
        public init(sizeLimit: Int = 256 << 10, handlerLimit: Duration = .seconds(5)) {
            self.sizeLimit = max(sizeLimit, 1)
            self.handlerLimit = max(handlerLimit, .milliseconds(1))
        }
    }

    private let configuration: Configuration
    private let verifier: JWSVerifier
    private let pool: StorePool
    private let handlers: NotificationHandlers
    private let listener: @Sendable (NotificationReply) -> Void
    /// The UUIDs of the notifications that are being handled now.
    private let handling = Mutex<Set<ServerNotification.ID>>([])
    private let handled = ChangeSignal()
    /// The UUIDs of notifications for which it is unknown whether they were written.
    private let doubts = Mutex(UncertainWrites())

    /// The UUIDs of notifications whose processing has begun, but has not succeeded.
    ///
    /// The vault may have recorded such a notification as completed, although the stores in memory do not have its
    /// evidence. The notification must then be processed again.
    private struct UncertainWrites {
        static let capacity = 10_000
        var uuids: Set<ServerNotification.ID> = []
        /// Whether `uuids` is incomplete because the capacity was exceeded.
        ///
        /// It remains true while the receiver exists. The missing UUIDs are unknown, and a repair reads only one
        /// environment and one period, so its success does not show that all of these notifications were processed.
        var areMore = false
    }

    /// Creates a receiver.
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - verifier: The verifier, with the trusted roots and the accepted app and environments.
    ///   - pool: The stores that receive the evidence.
    ///   - handlers: The app's handlers for notifications about which the app itself must do something.
    ///   - report: Receives the reply to each notification, for logs and for ``NotificationSilence``. The closure is
    ///     called from many tasks, so it should be quick.
    public init(
        _ configuration: Configuration = Configuration(), verifier: JWSVerifier, pool: StorePool,
        handlers: NotificationHandlers = NotificationHandlers(),
        report: @escaping @Sendable (NotificationReply) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.verifier = verifier
        self.pool = pool
        self.handlers = handlers
        listener = report
    }

    /// Requests the revocation statuses of the certificates of evidence that is verified next, if they are checked.
    package func learnRevocation(of items: [String]) async { await verifier.learnRevocation(of: items) }

    /// Receives the body of a request.
    ///
    /// - Parameter body: JSON with the member `signedPayload`, a compact JWS; at most ``Configuration/sizeLimit``
    ///   bytes.
    /// - Returns: The outcome and the status to respond with. An error is not thrown, but returned as the outcome.
    public func receive(_ body: [UInt8]) async -> NotificationReply {
        do throws(NotificationRefusal) {
            return await receive(
                signedPayload: try NotificationBody(body, limit: configuration.sizeLimit).signedPayload)
        } catch {
            return reply(.refused(error))
        }
    }

    /// Receives a notification as compact JWS, from the body of a request or from the history of notifications.
    public func receive(signedPayload: String) async -> NotificationReply {
        guard signedPayload.utf8.count <= configuration.sizeLimit else {
            return reply(
                .refused(NotificationRefusal(.tooLarge, "the payload has more than \(configuration.sizeLimit) bytes")))
        }
        do {
            // A malformed JWS is refused when it is verified.
            if let jws = CompactJWS(signedPayload) { try NotificationBody.check(jws) }
            let (notification, facts) = try await verifyPayload(signedPayload)
            setDoubt(true, about: notification.uuid)
            let outcome = try await handle(notification, facts)
            setDoubt(false, about: notification.uuid)
            return reply(outcome)
        } catch let refusal as NotificationRefusal {
            return reply(.refused(refusal))
        } catch let failure as NotificationFailure {
            return reply(.failed(failure))
        } catch let error as VaultError {
            return reply(
                .failed(NotificationFailure(.vault, "the vault could not write; send it again", cause: error)))
        } catch {
            return reply(.failed(NotificationFailure(.cancelled, "it was not processed; send it again", cause: error)))
        }
    }

    /// Returns the UUIDs of the given notifications that need no further processing.
    ///
    /// A notification in `doubts` is not returned, even if the vault counts it as completed.
    func finished(among uuids: [ServerNotification.ID]) async throws(VaultError) -> Set<ServerNotification.ID> {
        let doubts = doubts.withLock { $0 }
        guard !doubts.areMore else { return [] }
        return try await pool.vault.seenNotifications(among: uuids).subtracting(doubts.uuids)
    }

    private func setDoubt(_ isInDoubt: Bool, about uuid: ServerNotification.ID?) {
        guard let uuid else { return }
        doubts.withLock { doubts in
            if !isInDoubt {
                doubts.uuids.remove(uuid)
            } else if doubts.uuids.count < UncertainWrites.capacity {
                doubts.uuids.insert(uuid)
            } else {
                doubts.areMore = true
            }
        }
    }

    /// Returns the UUID in an unverified payload; `nil` if the payload contains none.
    static func claimedUUID(of signedPayload: String) -> ServerNotification.ID? {
        guard let payload = CompactJWS(signedPayload)?.payloadContent else { return nil }
        let uuid = try? JSONReader().read(payload).root.object?["notificationUUID"]?.string
        return uuid.map { ServerNotification.ID($0.lowercased()) }
    }

    /// The maximum size of a body in bytes.
    package var sizeLimit: Int { configuration.sizeLimit }

    /// The pool of stores; a repair stores its position in the pool's vault.
    var store: StorePool { pool }

    private func reply(_ outcome: NotificationReply.Outcome) -> NotificationReply {
        let reply = NotificationReply(outcome)
        listener(reply)
        return reply
    }

    // MARK: Verifying

    private func verifyPayload(
        _ signedPayload: String
    ) async throws -> (ReceivedNotification, [VerifiedFact]) {
        await verifier.learnRevocation(of: [signedPayload])
        let notification: ServerNotification
        switch verifier.verify(signedPayload) {
        case .notification(.verified(let verified)): notification = verified
        case let evidence:
            let error = evidence.error
            try Self.throwIfUnknown(error)
            throw NotificationRefusal(
                .untrusted,
                error == nil ? "the signed payload is not a notification" : "the payload could not be verified",
                cause: error)
        }
        await verifier.learnRevocation(
            of: [
                notification.signedTransactionInfo, notification.signedRenewalInfo,
                notification.signedAppTransactionInfo,
            ].compactMap { $0 })
        let parts = verifier.contents(of: notification)
        for part in parts { try Self.throwIfUnknown(part.error) }
        let received = try ReceivedNotification(notification, parts: parts, signedPayload: signedPayload)
        // The App Store's state of the subscription is part of the notification itself.
        let own = VerifiedFact(.notification(.verified(notification)))
        return (received, parts.compactMap(VerifiedFact.init) + (own.map { [$0] } ?? []))
    }

    private static func throwIfUnknown(_ error: VerificationError?) throws(NotificationFailure) {
        guard let error, error.code == .revocationUnknown else { return }
        throw NotificationFailure(
            .revocationUnknown, "the revocation status of the certificates is unknown; send it again", cause: error)
    }

    // MARK: Writing

    private func handle(
        _ notification: ReceivedNotification, _ facts: [VerifiedFact]
    ) async throws -> NotificationReply.Outcome {
        let uuids = notification.uuid.map { [$0] } ?? []
        let vault = pool.vault
        let work = handlers.work(for: notification) { purchase in
            try await ConsumptionQuestion.reading(purchase, facts, of: notification, in: vault)
        }
        let notice = StoreEvent.Notification(notification)
        guard work != nil || notice != nil else {
            let report = try await pool.receive(facts, ofNotifications: uuids)
            return report.repeatedNotifications.isEmpty
                ? .accepted(notification, report) : .repeated(notification, report)
        }
        // Only one task at a time handles a notification and records its completion. Another task with the same
        // notification waits.
        try await beginHandling(uuids)
        defer { endHandling(uuids) }
        let isRepeated = try await !vault.seenNotifications(among: uuids).isEmpty
        let report = try await pool.receive(facts, ofNotifications: [])
        if isRepeated { return .repeated(notification, report) }
        do {
            if let work { try await pool.clock.within(configuration.handlerLimit) { try await work() } }
        } catch {
            throw NotificationFailure(.handler, "the app's handler failed; send it again", cause: error)
        }
        if let notice {
            // The event and the record of the notification are one write, so that a repeated notification has one event.
            // Facts with a chain are transactions and, if the notification is about the app itself, app transactions.
            let owner = try await vault.owners(of: facts.filter { $0.chain != nil }).first ?? nil
            try await pool.note(notice, about: owner, ofNotifications: uuids)
        } else {
            _ = try await pool.receive([], ofNotifications: uuids)
        }
        return .accepted(notification, report)
    }

    private func beginHandling(_ uuids: [ServerNotification.ID]) async throws {
        while true {
            try Task.checkCancellation()
            let seen = handled.count
            let isOwn = handling.withLock { handling in
                guard handling.isDisjoint(with: uuids) else { return false }
                handling.formUnion(uuids)
                return true
            }
            if isOwn { return }
            await handled.wait(after: seen)
        }
    }

    private func endHandling(_ uuids: [ServerNotification.ID]) {
        handling.withLock { $0.subtract(uuids) }
        handled.send()
    }
}
