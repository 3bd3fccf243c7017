public import StorekeeperEngine
import SwiftASN1
import Synchronization
import X509

/// Asks issuers by OCSP whether their certificates were revoked, and caches the responses.
///
/// A verifier asks its checker about each item, and the checker answers from memory. The memory is filled in two ways.
/// Callers that can wait call ``JWSVerifier/learnRevocation(of:)``. A task in ``run()`` requests the statuses that
/// verifiers have asked for, and renews responses before they expire. At most one request per certificate is in flight
/// at a time.
///
/// A response counts only if it was signed by the issuer, or by a responder that the issuer has certified. It counts
/// only during the period that the response specifies. A revocation applies to items of every signing date, because the
/// owner of a revoked key can sign any date. Responders forget certificates that have expired. Under
/// ``RevocationPolicy/hard``, stored evidence whose certificate has expired therefore becomes `revocationUnknown`, and
/// a newly signed copy has to be fetched.
///
/// - SeeAlso: RFC 6960, "Online Certificate Status Protocol - OCSP"; RFC 5019, "The Lightweight OCSP Profile".
public final class OCSPChecker: RevocationChecker {
    typealias Subject = RevocationMemory.Subject

    /// The settings.
    public let configuration: Configuration
    private let transport: any OCSPTransport
    private let time: RevocationTime
    private let listener: @Sendable (RevocationReport) -> Void
    private let state: Mutex<State>

    private struct State {
        var memory: RevocationMemory
        /// The requests in flight, by certificate; each latch opens when its request succeeds or fails.
        var flights: [[UInt8]: OneShotLatch] = [:]
        /// The latch that opens when a verifier asks about a certificate whose status ``OCSPChecker/run()`` should
        /// request.
        var work = OneShotLatch()
    }

    /// Creates a checker with an empty memory.
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - transport: The transport for the checker's requests.
    ///   - time: The clock.
    ///   - report: The closure that receives a report of each failed request. Under ``RevocationPolicy/soft``, it also
    ///     receives a report when a certificate passes before a responder was asked. The closure is called from many
    ///     tasks, so it should return quickly.
    public init(
        _ configuration: Configuration, transport: any OCSPTransport, time: RevocationTime,
        report: @escaping @Sendable (RevocationReport) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.transport = transport
        self.time = time
        listener = report
        state = Mutex(State(memory: RevocationMemory(configuration)))
    }

    /// The number of remembered certificates.
    package var count: Int { state.withLock { $0.memory.count } }

    /// Whether a request is in flight.
    package var isAsking: Bool { state.withLock { !$0.flights.isEmpty } }

    /// Returns the status of the two certificates below the root, from memory.
    public func status(of chain: SigningChain, at: Instant) -> RevocationStatus {
        guard configuration.policy != .off else { return .good }
        let now = time.now()
        var isUnknown = false
        for subject in Self.subjects(of: chain) {
            let (status, isReported) = state.withLock { state in
                let (status, isWork) = state.memory.status(of: subject, at: now)
                if isWork { state.work.open() }
                guard status == .unknown else { return (status, false) }
                return (status, configuration.policy == .soft && state.memory.beginReport(of: subject))
            }
            if isReported {
                report(
                    OCSPError(.notAsked, "no responder was asked: run the checker, or let it learn before verifying"),
                    about: subject, at: now)
            }
            if status == .revoked { return .revoked }
            if status == .unknown { isUnknown = true }
        }
        return isUnknown && configuration.policy == .hard ? .unknown : .good
    }

    /// Requests the unknown statuses of the certificates in a certificate chain, and returns when the requests have
    /// succeeded or failed.
    ///
    /// After a failed request, the responder is not asked about the same certificate again until
    /// ``Configuration/pause`` is over.
    public func learn(_ chain: SigningChain) async {
        guard configuration.policy != .off else { return }
        await withTaskGroup(of: Void.self) { group in
            for subject in Self.subjects(of: chain) {
                group.addTask {
                    await self.query(about: subject) { memory, now in memory.needsRequest(subject, at: now) }
                }
            }
        }
    }

    /// Requests the statuses that verifiers have asked for, and renews responses before they expire, until the task is
    /// cancelled.
    public func run() async {
        guard configuration.policy != .off else { return }
        while !Task.isCancelled {
            let (due, work) = state.withLock { state in
                state.work = OneShotLatch()
                return (state.memory.due(at: time.now()), state.work)
            }
            for subject in due.subjects where !Task.isCancelled {
                await query(about: subject) { memory, now in
                    memory.due(at: now).subjects.contains(subject)
                }
            }
            if due.subjects.isEmpty { await wait(for: work, until: due.next) }
        }
    }

    private func wait(for work: OneShotLatch, until next: Instant?) async {
        let sleep = time.sleep
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await work.wait() }
            if let next { group.addTask { try? await sleep(next) } }
            await group.next()
            group.cancelAll()
        }
    }

    private static func subjects(of chain: SigningChain) -> [Subject] {
        [
            Subject(certificate: chain.leaf, issuer: chain.intermediate, place: .leaf),
            Subject(certificate: chain.intermediate, issuer: chain.root, place: .intermediate),
        ]
    }

    private func report(_ error: OCSPError, about subject: Subject, at now: Instant) {
        listener(
            RevocationReport(at: now, place: subject.place, error: error, isAllowed: configuration.policy == .soft))
    }

    // MARK: One request

    /// Asks about a certificate; if another task is already asking about it, waits for that task.
    ///
    /// - Parameter isDue: The closure that returns whether a request is needed. It is called again after each wait.
    private func query(about subject: Subject, _ isDue: (RevocationMemory, Instant) -> Bool) async {
        while !Task.isCancelled {
            let now = time.now()
            let (flight, isOwn): (OneShotLatch?, Bool) = state.withLock { state in
                guard isDue(state.memory, now) else { return (nil, false) }
                if let flight = state.flights[subject.certificate] { return (flight, false) }
                let flight = OneShotLatch()
                state.flights[subject.certificate] = flight
                return (flight, true)
            }
            guard let flight else { return }
            guard isOwn else {
                await flight.wait()
                continue
            }
            await resolve(subject)
            state.withLock { $0.flights[subject.certificate] = nil }
            // Waiting tasks check again whether a request is needed. If this task was cancelled, one of the waiting
            // tasks sends the request.
            flight.open()
            return
        }
    }

    /// Sends a request and stores its result; if the task is cancelled, no result is stored.
    private func resolve(_ subject: Subject) async {
        do throws(OCSPError) {
            let verdict = try await verdict(on: subject)
            let now = time.now()
            let refusal: OCSPError? = state.withLock { state in
                do throws(OCSPError) {
                    try state.memory.learn(verdict, of: subject, at: now)
                    return nil
                } catch { return error }
            }
            if let refusal { throw refusal }
        } catch {
            if Task.isCancelled { return }
            let now = time.now()
            state.withLock { $0.memory.fail(subject, at: now) }
            report(error, about: subject, at: now)
        }
    }

    private func verdict(on subject: Subject) async throws(OCSPError) -> OCSPVerdict {
        guard let certificate = try? Certificate(derEncoded: subject.certificate),
            let issuer = try? Certificate(derEncoded: subject.issuer)
        else { throw Self.unreadable(subject) }
        let ids = OCSPCertificateID.Digest.allCases.compactMap {
            OCSPCertificateID(of: subject.certificate, issuedBy: issuer, digest: $0)
        }
        guard !ids.isEmpty else { throw Self.unreadable(subject) }
        guard let url = certificate.ocspResponder else {
            throw OCSPError(.noResponder, "the \(subject.place.rawValue) certificate names no OCSP responder")
        }
        let response = try await response(about: ids, at: url)
        return try response.verdict(
            on: ids, issuedBy: issuer, at: time.now(), tolerance: configuration.tolerance.milliseconds)
    }

    private static func unreadable(_ subject: Subject) -> OCSPError {
        OCSPError(.unreadableCertificate, "the \(subject.place.rawValue) certificate cannot be read")
    }

    /// Requests the status with each id of the certificate in turn, until the responder accepts a request.
    private func response(
        about ids: [OCSPCertificateID], at url: String
    ) async throws(OCSPError) -> OCSPResponse {
        var refusal = OCSPError(.refused, "the certificate has no name to ask by")
        for id in ids {
            do throws(OCSPError) {
                return try OCSPResponse(der: await response(to: OCSPRequest(id), at: url))
            } catch {
                // A responder that does not support the digest of an id refuses the request, so the next id is tried.
                guard error.code == .refused else { throw error }
                refusal = error
            }
        }
        throw refusal
    }

    private func response(to request: OCSPRequest, at url: String) async throws(OCSPError) -> [UInt8] {
        let (transport, time, limit) = (transport, time, configuration.sizeLimit)
        let end = time.now().advanced(by: configuration.timeLimit)
        do {
            let der = try request.der
            let response = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
                group.addTask { try await transport.response(to: der, at: url, sizeLimit: limit) }
                group.addTask {
                    try await time.sleep(end)
                    return nil
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
            guard let response else {
                throw OCSPError(.timedOut, "the responder took longer than \(configuration.timeLimit)")
            }
            guard response.count <= limit else {
                throw OCSPError(.tooLarge, "the response has more than \(limit) bytes")
            }
            return response
        } catch let error as OCSPError {
            throw error
        } catch {
            throw OCSPError(.unreachable, "no response came from the responder", cause: error)
        }
    }
}

extension Certificate {
    /// The URL of the OCSP responder: the first HTTP URL that the certificate names.
    fileprivate var ocspResponder: String? {
        guard let access = try? extensions.authorityInformationAccess else { return nil }
        for description in access where description.method == .ocspServer {
            guard case .uniformResourceIdentifier(let url) = description.location,
                url.hasPrefix("http://") || url.hasPrefix("https://")
            else { continue }
            return url
        }
        return nil
    }
}
