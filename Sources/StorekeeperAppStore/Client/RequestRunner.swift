import Storekeeper
import Synchronization

/// Sends requests to one server within its rate limits, and retries them until the caller's deadline.
final class RequestRunner: Sendable {
    /// The dependencies of a runner.
    struct Parts: Sendable {
        let transport: any HTTPTransport
        let tokens: BearerTokens
        let limiter: RateLimiter
        let slots: AsyncSemaphore
        let clock: any StoreClock
        let telemetry: ClientTelemetry
    }

    let host: AppStoreServerHost
    private let configuration: AppStoreServerConfiguration
    private let parts: Parts
    private let breaker: CircuitBreaker
    /// The number of calls that have begun.
    ///
    /// The waiting times of a call depend slightly on its number, so that calls that fail at the same time are not
    /// retried at the same time.
    private let calls = Mutex<UInt64>(0)

    init(_ host: AppStoreServerHost, _ configuration: AppStoreServerConfiguration, _ parts: Parts) {
        self.host = host
        self.configuration = configuration
        self.parts = parts
        breaker = CircuitBreaker(
            CircuitState.Rule(
                failures: max(configuration.failuresBeforePause, 1), pause: max(configuration.pause.milliseconds, 1)),
            clock: parts.clock)
    }

    /// Sends a request, and retries it as long as a retry may succeed.
    ///
    /// - Parameter end: The caller's deadline.
    /// - Throws: ``AppStoreServerError``; `CancellationError`.
    func send<Answer>(_ request: AppStoreServerRequest<Answer>, until end: Instant) async throws -> Answer {
        let number = calls.withLock { calls in
            calls &+= 1
            return calls
        }
        var schedule = BackoffSchedule(configuration.backoff, salt: .request, number: number)
        var hasRenewedToken = false
        var attempt = 0
        while true {
            attempt += 1
            do {
                return try await self.attempt(request, number: attempt, until: end)
            } catch let failure as RefusedToken {
                // The App Store may have refused the token because the clock was changed, so the call retries once with
                // a new token. If the App Store also refuses the new token, the call fails.
                guard !hasRenewedToken else { throw failure.error }
                hasRenewedToken = true
                attempt -= 1
                parts.tokens.discard(failure.token)
            } catch let error as AppStoreServerError {
                guard attempt < configuration.maximumAttempts, Self.mayRepeat(request.endpoint, after: error) else {
                    throw error
                }
                let next = parts.clock.now.adding(milliseconds: schedule.fail())
                let at = max(next, error.retryAt ?? next)
                guard at < end else { throw error }
                try await parts.clock.wait(until: at)
            }
        }
    }

    /// Returns whether a request may be retried after an error.
    static func mayRepeat(_ endpoint: AppStoreServerEndpoint, after error: AppStoreServerError) -> Bool {
        error.isRetryable && (endpoint.isIdempotent || !error.mayHaveBeenDone)
    }

    /// The error of an attempt whose token was refused by the App Store.
    private struct RefusedToken: Error {
        let token: String
        let error: AppStoreServerError
    }

    private func attempt<Answer>(
        _ request: AppStoreServerRequest<Answer>, number: Int, until end: Instant
    ) async throws -> Answer {
        let bucket = RateLimiter.Bucket(bundleID: configuration.bundleID, host: host, endpoint: request.endpoint)
        let phase = try await breaker.admit()
        let attempt: Attempt
        do {
            try await parts.limiter.wait(for: bucket, notAfter: end)
            guard await parts.slots.acquire() else { throw CancellationError() }
            defer { parts.slots.release() }
            let token = try await parts.tokens.token()
            let began = parts.clock.now
            guard began < end else {
                throw AppStoreServerError(
                    .deadlineExceeded, "the request could not be sent in time; too many requests are waiting",
                    isRetryable: true)
            }
            let outcome = try await exchange(request, token, until: end)
            attempt = Attempt(
                token: token, outcome: outcome, number: number,
                milliseconds: parts.clock.now.milliseconds(since: began))
        } catch {
            await breaker.abandon(phase)
            throw error
        }
        return try await conclude(request, attempt, bucket: bucket, phase: phase)
    }

    /// A sent request and its outcome.
    private struct Attempt: Sendable {
        let token: String
        let outcome: AttemptOutcome
        let number: Int
        let milliseconds: Int64
    }

    /// Sends a request once, without retries, and interprets the response.
    ///
    /// - Throws: Only `CancellationError`.
    private func exchange<Answer>(
        _ request: AppStoreServerRequest<Answer>, _ token: String, until end: Instant
    ) async throws -> AttemptOutcome {
        var fields = [HeaderField("Authorization", "Bearer \(token)"), HeaderField("Accept", "application/json")]
        if request.body != nil { fields.append(HeaderField("Content-Type", request.contentType)) }
        let outgoing = TransportRequest(
            method: request.method, url: host.baseURL + request.target, fields: fields, body: request.body)
        let (transport, clock) = (parts.transport, parts.clock)
        let left = clock.now.duration(to: end)
        do {
            let response = try await clock.within(left) { try await transport.send(outgoing) }
            return AttemptOutcome(
                response, to: request.endpoint, expectsBody: Answer.self != Void.self, at: clock.now)
        } catch {
            try Task.checkCancellation()
            if let error = error as? TransportError { return AttemptOutcome(error) }
            return AttemptOutcome(
                TransportError(.timedOut, "the caller stopped waiting", cause: error))
        }
    }

    /// Reports the outcome of an attempt to the circuit breaker, the limiter and the telemetry, and returns the answer.
    ///
    /// - Throws: The error of the attempt; ``RefusedToken`` if the token was refused.
    private func conclude<Answer>(
        _ request: AppStoreServerRequest<Answer>, _ attempt: Attempt, bucket: RateLimiter.Bucket, phase: Int
    ) async throws -> Answer {
        var failure: AppStoreServerError?
        defer {
            parts.telemetry.record(
                request.endpoint, host.environment, attempt: attempt.number, milliseconds: attempt.milliseconds,
                error: failure)
        }
        switch attempt.outcome {
        case .answered(let body):
            await breaker.succeed(phase)
            do {
                return try request.read(
                    body, .init(bundleID: configuration.bundleID, environment: host.environment))
            } catch {
                failure = error
                throw error
            }
        case .failed(let error, let serverIsWell):
            failure = error
            if serverIsWell { await breaker.succeed(phase) } else { await breaker.fail(phase) }
            if error.code == .rateLimited, let retryAt = error.retryAt { parts.limiter.pause(bucket, until: retryAt) }
            if error.code == .unauthorized { throw RefusedToken(token: attempt.token, error: error) }
            throw error
        }
    }
}
