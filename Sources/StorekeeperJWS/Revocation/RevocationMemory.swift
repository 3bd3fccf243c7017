import StorekeeperEngine

/// The certificate statuses that a checker remembers: a value without a clock or a network.
///
/// Certificates are looked up by their bytes. A revocation is remembered for as long as there is room: an attacker who
/// blocks our requests must not make a revoked certificate good again.
struct RevocationMemory: Sendable {
    /// A certificate whose status is requested.
    struct Subject: Hashable, Sendable {
        /// The certificate, as DER.
        let certificate: [UInt8]
        /// The certificate of its issuer, as DER.
        let issuer: [UInt8]
        /// The position in its chain.
        let place: RevocationReport.Place
    }

    fileprivate struct Entry {
        let subject: Subject
        var verdict: OCSPVerdict?
        /// The end of the verdict's use, inclusive.
        var usableThrough: Instant = .distantPast
        /// The time from which the responder should be asked.
        var askFrom: Instant = .distantPast
        /// Whether a verifier requested it since the responder was last asked.
        var isWanted = true
        /// Whether it was reported that the certificate passed with an unknown status.
        var isReported = false
        var lastUse: UInt64
    }

    private let configuration: OCSPChecker.Configuration
    private var entries: [[UInt8]: Entry] = [:]
    private var uses: UInt64 = 0

    init(_ configuration: OCSPChecker.Configuration) { self.configuration = configuration }

    /// The number of remembered certificates.
    var count: Int { entries.count }

    /// Returns the status of a certificate now, and records that it was requested.
    ///
    /// - Returns: The status, and whether this is the first request since the last answer, which changes what is
    ///   ``due(at:)``.
    mutating func status(of subject: Subject, at now: Instant) -> (RevocationStatus, isWork: Bool) {
        uses += 1
        guard let entry = entries[subject.certificate] else {
            makeRoom()
            entries[subject.certificate] = Entry(subject: subject, lastUse: uses)
            return (.unknown, true)
        }
        entries[subject.certificate]?.lastUse = uses
        entries[subject.certificate]?.isWanted = true
        return (entry.status(at: now), !entry.isWanted)
    }

    /// Whether a responder must be asked about a certificate before it can be judged.
    func needsRequest(_ subject: Subject, at now: Instant) -> Bool {
        guard let entry = entries[subject.certificate] else { return true }
        // A revoked certificate is asked about again, too: the issuer may have withdrawn the revocation.
        return entry.status(at: now) != .good && entry.askFrom <= now
    }

    /// Returns the certificates to ask about now, and when the next one is due.
    func due(at now: Instant) -> (subjects: [Subject], next: Instant?) {
        let wanted = entries.values.filter(\.isWanted)
        return (
            wanted.filter { $0.askFrom <= now }.sorted { $0.lastUse < $1.lastUse }.map(\.subject),
            wanted.lazy.map(\.askFrom).filter { $0 > now }.min()
        )
    }

    /// Records a response.
    ///
    /// - Throws: ``OCSPError`` if it is older than the known one, or reports the certificate as unknown.
    mutating func learn(_ verdict: OCSPVerdict, of subject: Subject, at now: Instant) throws(OCSPError) {
        var entry = entry(of: subject)
        if let known = entry.verdict, verdict.thisUpdate < known.thisUpdate {
            throw OCSPError(.stale, "the response is older than one that is known already")
        }
        let limit = now.advanced(by: configuration.longestUse)
        entry.verdict = verdict
        entry.usableThrough = min(verdict.nextUpdate.advanced(by: configuration.tolerance), limit)
        // Asks at half time, so that only an outage of the responder longer than the other half matters.
        let rest = max(min(verdict.nextUpdate, limit).milliseconds(since: now), 0)
        entry.askFrom = now.adding(milliseconds: max(rest / 2, min(configuration.pause.milliseconds, 1_000)))
        entry.isWanted = false
        entry.isReported = false
        if verdict.status == .unknown { entry.askFrom = now.advanced(by: configuration.pause) }
        entries[subject.certificate] = entry
        if verdict.status == .unknown {
            throw OCSPError(.unknownCertificate, "the responder does not know the certificate")
        }
    }

    /// Records that a request failed.
    mutating func fail(_ subject: Subject, at now: Instant) {
        var entry = entry(of: subject)
        entry.askFrom = now.advanced(by: configuration.pause)
        entry.isReported = true
        entries[subject.certificate] = entry
    }

    /// Whether it has yet to be reported that a certificate passes with an unknown status.
    mutating func beginReport(of subject: Subject) -> Bool {
        guard entries[subject.certificate]?.isReported == false else { return false }
        entries[subject.certificate]?.isReported = true
        return true
    }

    private mutating func entry(of subject: Subject) -> Entry {
        if let known = entries[subject.certificate] { return known }
        makeRoom()
        uses += 1
        return Entry(subject: subject, lastUse: uses)
    }

    private mutating func makeRoom() {
        guard entries.count >= configuration.capacity else { return }
        let oldest = entries.min {
            ($0.value.isRevoked ? 1 : 0, $0.value.lastUse) < ($1.value.isRevoked ? 1 : 0, $1.value.lastUse)
        }
        if let oldest { entries[oldest.key] = nil }
    }
}

extension RevocationMemory.Entry {
    fileprivate var isRevoked: Bool {
        if case .revoked = verdict?.status { true } else { false }
    }

    fileprivate func status(at now: Instant) -> RevocationStatus {
        switch verdict?.status {
        case .revoked: .revoked
        case .good where now <= usableThrough: .good
        case .good, .unknown, nil: .unknown
        }
    }
}
