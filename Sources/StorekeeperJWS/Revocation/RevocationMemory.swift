import StorekeeperEngine

/// The certificate statuses that a checker remembers, as a value that uses neither a clock nor a network.
///
/// Certificates are looked up by their bytes. A revocation does not expire, because an attacker who blocks the
/// checker's requests must not be able to make a revoked certificate pass again. A revocation is forgotten only if the
/// memory is full and a new certificate is added.
struct RevocationMemory: Sendable {
    /// A certificate whose status is requested.
    struct Subject: Hashable, Sendable {
        /// The certificate, as DER.
        let certificate: [UInt8]
        /// The certificate of its issuer, as DER.
        let issuer: [UInt8]
        /// The position of the certificate in its certificate chain.
        let place: RevocationReport.Place
    }

    fileprivate struct Entry {
        let subject: Subject
        var verdict: OCSPVerdict?
        /// The last instant at which the verdict may be used.
        var usableThrough: Instant = .distantPast
        /// The earliest time at which the responder should be asked about the certificate.
        var askFrom: Instant = .distantPast
        /// Whether a verifier has asked about the certificate since the last response was stored.
        var isWanted = true
        /// Whether the unknown status of the certificate was reported.
        var isReported = false
        var lastUse: UInt64
    }

    private let configuration: OCSPChecker.Configuration
    private var entries: [[UInt8]: Entry] = [:]
    private var uses: UInt64 = 0

    init(_ configuration: OCSPChecker.Configuration) { self.configuration = configuration }

    /// The number of remembered certificates.
    var count: Int { entries.count }

    /// Returns the status of a certificate now, and records that a verifier has asked about it.
    ///
    /// - Returns: The status, and whether this is the first call about the certificate since its last response was
    ///   stored. The first call adds the certificate to the result of ``due(at:)``.
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

    /// Returns whether the responder must be asked about a certificate before its status is used.
    func needsRequest(_ subject: Subject, at now: Instant) -> Bool {
        guard let entry = entries[subject.certificate] else { return true }
        // The responder is also asked again about a revoked certificate, because the issuer may have withdrawn the
        // revocation.
        return entry.status(at: now) != .good && entry.askFrom <= now
    }

    /// Returns the certificates to ask about now, and the instant when the next certificate is due.
    func due(at now: Instant) -> (subjects: [Subject], next: Instant?) {
        let wanted = entries.values.filter(\.isWanted)
        return (
            wanted.filter { $0.askFrom <= now }.sorted { $0.lastUse < $1.lastUse }.map(\.subject),
            wanted.lazy.map(\.askFrom).filter { $0 > now }.min()
        )
    }

    /// Records a response.
    ///
    /// - Throws: ``OCSPError`` if the response is older than the stored response, or reports the certificate as
    ///   unknown.
    mutating func learn(_ verdict: OCSPVerdict, of subject: Subject, at now: Instant) throws(OCSPError) {
        var entry = entry(of: subject)
        if let known = entry.verdict, verdict.thisUpdate < known.thisUpdate {
            throw OCSPError(.stale, "the response is older than one that is known already")
        }
        let limit = now.advanced(by: configuration.longestUse)
        entry.verdict = verdict
        entry.usableThrough = min(verdict.nextUpdate.advanced(by: configuration.tolerance), limit)
        // The responder is asked again after half of the response's remaining lifetime. An outage of the responder then
        // matters only if it lasts longer than the other half.
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

    /// Returns whether this is the first call for a certificate whose status is unknown, so that the unknown status is
    /// reported once.
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
