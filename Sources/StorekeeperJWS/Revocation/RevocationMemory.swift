import StorekeeperEngine

/// What a checker knows of certificates: a value, without a clock and without a network.
///
/// Certificates are found by their bytes. That a certificate was revoked is remembered for as long as there is room:
/// who keeps us from asking must not make a revoked certificate good again.
struct RevocationMemory: Sendable {
    /// A certificate that somebody asks about.
    struct Subject: Hashable, Sendable {
        /// The certificate, as DER.
        let certificate: [UInt8]
        /// Who signed it, as DER.
        let issuer: [UInt8]
        /// Where it stands in its chain.
        let place: RevocationReport.Place
    }

    fileprivate struct Entry {
        let subject: Subject
        var verdict: OCSPVerdict?
        /// Until when the verdict may be used, inclusive.
        var usableThrough: Instant = .distantPast
        /// From when on somebody is to be asked.
        var askFrom: Instant = .distantPast
        /// Whether it was asked for since somebody was asked last.
        var isWanted = true
        /// Whether it was reported that it passed although nothing is known.
        var isReported = false
        var lastUse: UInt64
    }

    private let configuration: OCSPChecker.Configuration
    private var entries: [[UInt8]: Entry] = [:]
    private var uses: UInt64 = 0

    init(_ configuration: OCSPChecker.Configuration) { self.configuration = configuration }

    /// How many certificates are remembered.
    var count: Int { entries.count }

    /// What is known of a certificate now; it is remembered that somebody wants to know.
    ///
    /// - Returns: What is known, and whether nobody has wanted to know since it was learned, so that what is ``due(at:)``
    ///   has changed.
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

    /// Whether somebody is to be asked about a certificate before it can be judged.
    func isToBeAsked(_ subject: Subject, at now: Instant) -> Bool {
        guard let entry = entries[subject.certificate] else { return true }
        // Also about one that was revoked: the issuer may have taken that back.
        return entry.status(at: now) != .good && entry.askFrom <= now
    }

    /// The certificates about which somebody is to be asked now, and when the next will be.
    func due(at now: Instant) -> (subjects: [Subject], next: Instant?) {
        let wanted = entries.values.filter(\.isWanted)
        return (
            wanted.filter { $0.askFrom <= now }.sorted { $0.lastUse < $1.lastUse }.map(\.subject),
            wanted.lazy.map(\.askFrom).filter { $0 > now }.min()
        )
    }

    /// Takes in an answer.
    ///
    /// - Throws: ``OCSPError`` where it is older than the one that is known, or says that the certificate is unknown.
    mutating func learn(_ verdict: OCSPVerdict, of subject: Subject, at now: Instant) throws(OCSPError) {
        var entry = entry(of: subject)
        if let known = entry.verdict, verdict.thisUpdate < known.thisUpdate {
            throw OCSPError(.stale, "the response is older than one that is known already")
        }
        let limit = now.advanced(by: configuration.longestUse)
        entry.verdict = verdict
        entry.usableThrough = min(verdict.nextUpdate.advanced(by: configuration.tolerance), limit)
        // At half time, so that an outage of the responder has to last for the other half before it matters.
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

    /// Notes that nothing could be found out.
    mutating func fail(_ subject: Subject, at now: Instant) {
        var entry = entry(of: subject)
        entry.askFrom = now.advanced(by: configuration.pause)
        entry.isReported = true
        entries[subject.certificate] = entry
    }

    /// Whether it is still to be reported that a certificate passes although nothing is known of it.
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
