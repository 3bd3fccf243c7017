public import Storekeeper
public import StorekeeperJWS
import Synchronization

/// Takes in what the App Store posts: verifies it, writes it, and only then says that it came.
///
/// It knows no HTTP: give it the body of a request and answer with the ``NotificationReply/status`` that it returns, with
/// whatever server. Notifications may come late, twice, many at once and in any order: what they carry is merged, not
/// followed.
///
/// ```swift
/// let reply = await receiver.receive(body)
/// return Response(status: reply.status)
/// ```
///
/// - SeeAlso: Apple, "Receiving App Store Server Notifications" and "Responding to App Store Server Notifications".
public final class NotificationReceiver: Sendable {
    /// How a receiver is to behave.
    public struct Configuration: Sendable {
        /// How many bytes a body may have.
        public var sizeLimit: Int
        /// How long a handler may take; the App Store gives up after some seconds.
        public var handlerLimit: Duration

        /// Makes a configuration.
        public init(sizeLimit: Int = 1 << 20, handlerLimit: Duration = .seconds(5)) {
            self.sizeLimit = max(sizeLimit, 1)
            self.handlerLimit = max(handlerLimit, .milliseconds(1))
        }
    }

    private let configuration: Configuration
    private let verifier: JWSVerifier
    private let pool: StorePool
    private let handlers: NotificationHandlers
    private let listener: @Sendable (NotificationReply) -> Void
    /// The notifications that are being handled now, by UUID.
    private let handling = Mutex<Set<ServerNotification.ID>>([])
    private let handled = ChangeSignal()
    /// The notifications of which it is not known whether they were written, by UUID.
    private let doubts = Mutex(Doubts())

    /// What a vault that failed may have written all the same.
    ///
    /// The customers' stores in memory know nothing of it before it is handed over again, although the vault counts it as
    /// seen.
    private struct Doubts {
        static let capacity = 10_000
        var uuids: Set<ServerNotification.ID> = []
        /// Whether there were more than are remembered.
        var areMore = false
    }

    /// Makes a receiver.
    ///
    /// - Parameters:
    ///   - configuration: How it is to behave.
    ///   - verifier: Says whom to believe, about which app and environment.
    ///   - pool: Where what is believed goes.
    ///   - handlers: What the app does about what is more than evidence.
    ///   - report: Is told what became of each notification, for logs and for ``NotificationSilence``; called from many
    ///     tasks, so it should be quick.
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

    /// Takes in the body of a request.
    ///
    /// - Parameter body: JSON with the member `signedPayload`, a compact JWS; at most ``Configuration/sizeLimit`` bytes.
    /// - Returns: What became of it, and what to answer. Never throws: whatever is wrong is an answer.
    public func receive(_ body: [UInt8]) async -> NotificationReply {
        do throws(NotificationRefusal) {
            return await receive(
                signedPayload: try NotificationBody(body, limit: configuration.sizeLimit).signedPayload)
        } catch {
            return reply(.refused(error))
        }
    }

    /// Takes in a signed payload, from a body or from the history of notifications.
    public func receive(signedPayload: String) async -> NotificationReply {
        guard signedPayload.utf8.count <= configuration.sizeLimit else {
            return reply(
                .refused(NotificationRefusal(.tooLarge, "the payload has more than \(configuration.sizeLimit) bytes")))
        }
        do {
            let (notification, facts) = try await believe(signedPayload)
            setDoubt(true, about: notification.uuid)
            let outcome = try await take(notification, facts)
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
            return reply(.failed(NotificationFailure(.cancelled, "it was not taken in; send it again", cause: error)))
        }
    }

    /// Which of some notifications, by UUID, need not be taken in again.
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
            } else if doubts.uuids.count < Doubts.capacity {
                doubts.uuids.insert(uuid)
            } else {
                doubts.areMore = true
            }
        }
    }

    /// The UUID that a signed payload says is its own, before anything is verified; `nil` where it says none.
    static func claimedUUID(of signedPayload: String) -> ServerNotification.ID? {
        guard let payload = CompactJWS(signedPayload)?.payloadContent else { return nil }
        let uuid = try? JSONReader().read(payload).root.object?["notificationUUID"]?.string
        return uuid.map { ServerNotification.ID($0.lowercased()) }
    }

    /// The pool's vault and time, for repairs.
    var store: StorePool { pool }

    private func reply(_ outcome: NotificationReply.Outcome) -> NotificationReply {
        let reply = NotificationReply(outcome)
        listener(reply)
        return reply
    }

    // MARK: Believing

    private func believe(
        _ signedPayload: String
    ) async throws -> (ReceivedNotification, [VerifiedFact]) {
        await verifier.learnRevocation(of: [signedPayload])
        let notification: ServerNotification
        switch verifier.verify(signedPayload) {
        case .notification(.verified(let verified)): notification = verified
        case let evidence:
            let error = evidence.error
            try Self.failWhereUnknown(error)
            throw NotificationRefusal(
                .untrusted, error == nil ? "the signed payload is no notification" : "the payload is not believed",
                cause: error)
        }
        await verifier.learnRevocation(
            of: [
                notification.signedTransactionInfo, notification.signedRenewalInfo,
                notification.signedAppTransactionInfo,
            ].compactMap { $0 })
        let parts = verifier.contents(of: notification)
        for part in parts { try Self.failWhereUnknown(part.error) }
        let received = try ReceivedNotification(notification, parts: parts, signedPayload: signedPayload)
        return (received, parts.compactMap(VerifiedFact.init))
    }

    private static func failWhereUnknown(_ error: VerificationError?) throws(NotificationFailure) {
        guard let error, error.code == .revocationUnknown else { return }
        throw NotificationFailure(
            .revocationUnknown, "it is not known whether the certificates were revoked; send it again", cause: error)
    }

    // MARK: Writing

    private func take(
        _ notification: ReceivedNotification, _ facts: [VerifiedFact]
    ) async throws -> NotificationReply.Outcome {
        let uuids = notification.uuid.map { [$0] } ?? []
        let vault = pool.vault
        let work = handlers.work(for: notification) { purchase in
            try await ConsumptionQuestion.reading(purchase, of: notification, in: vault)
        }
        guard let work else {
            let report = try await pool.receive(facts, ofNotifications: uuids)
            return report.repeatedNotifications.isEmpty
                ? .accepted(notification, report) : .repeated(notification, report)
        }
        // Who handles it and who writes that it is done with must be one: a second copy waits for the first.
        try await beginHandling(uuids)
        defer { endHandling(uuids) }
        let isRepeated = try await !vault.seenNotifications(among: uuids).isEmpty
        let report = try await pool.receive(facts, ofNotifications: [])
        if isRepeated { return .repeated(notification, report) }
        do {
            try await pool.clock.within(configuration.handlerLimit) { try await work() }
        } catch {
            throw NotificationFailure(.handler, "the app's handler failed; send it again", cause: error)
        }
        _ = try await pool.receive([], ofNotifications: uuids)
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
