import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS

/// The webhook message about an event.
struct WebhookMessage: Sendable {
    /// The id of the event in the stream, which also identifies the message.
    let id: String
    /// The body, which is the same for each attempt.
    let body: [UInt8]

    init(_ event: StoreEvent) {
        id = FeedCursor(after: event).description
        body = Self.shape.json(event).bytes()
    }

    /// The members of the body.
    static let shape = JSONShape<StoreEvent>(
        "WebhookMessage",
        note:
            "The body of a webhook. Its id, in the header webhook-id, is the id of the event in the stream, and the same "
            + "for each attempt.",
        [
            .member("type", as: StoreEvent.typeSchema) { $0.type }, .member("timestamp") { $0.change.at },
            .member("data") { $0 },
        ])

    /// The maximum size of a response, in bytes.
    private static let longestResponse = 64 << 10

    /// Returns the request of an attempt.
    func request(to url: String, secrets: WebhookSecrets, at now: Instant) -> TransportRequest {
        let seconds = now.millisecondsSince1970 / 1_000
        return TransportRequest(
            method: .post, url: url,
            fields: [
                HeaderField("Content-Type", "application/json"), HeaderField("User-Agent", "storekeeper"),
                HeaderField("webhook-id", id), HeaderField("webhook-timestamp", String(seconds)),
                HeaderField("webhook-signature", secrets.signature(of: body, id: id, timestamp: seconds)),
            ], body: body, maximumBodySize: Self.longestResponse)
    }
}

/// The meaning of a receiver's response.
struct WebhookReply: Sendable {
    /// The outcome of the attempt, such as whether the receiver accepted the message.
    var outcome: WebhookAttempt.Outcome
    /// The HTTP status; `nil` without a response.
    let status: Int?
    /// The reason why the message was not accepted; `nil` if the message was accepted.
    let problem: String?
    /// The time before which the receiver asks not to be sent another attempt.
    let retryAt: Instant?

    /// Interprets a response.
    init(_ response: TransportResponse, at now: Instant) {
        status = response.status
        switch response.status {
        case 200..<300: (outcome, problem) = (.delivered, nil)
        case 300..<400: (outcome, problem) = (.failed, "the receiver redirects, which is not followed")
        case 410: (outcome, problem) = (.gone, "the receiver wants no messages any more")
        default: (outcome, problem) = (.failed, "the receiver answered with status \(response.status)")
        }
        retryAt = response.value(of: "Retry-After").flatMap { RetryAfter.instant($0, at: now) }
    }

    /// Interprets an error without a response.
    init(_ error: any Error) {
        (outcome, status, retryAt) = (.failed, nil, nil)
        let failure = (error as? TransportError).flatMap { $0.code == .timedOut ? nil : $0 }
        problem = failure?.message ?? "the receiver did not answer in time"
    }
}
