import StorekeeperEngine

/// The payload of a compact JWS, decoded as far as possible and not yet verified.
struct EvidencePayload {
    /// The maximum size of a decoded payload in bytes.
    static let maximumSize = 1 << 20

    /// The result of decoding a payload.
    enum Content {
        case transaction(Transaction)
        case renewalInfo(RenewalInfo)
        case appTransaction(AppTransaction)
        case notification(ServerNotification)
        /// The payload is of an unknown kind, or lacks a member that its kind requires.
        case nothing(VerificationError)
    }

    /// The decoded content.
    let content: Content
    /// The JSON, if the payload is valid JSON.
    let document: JSONDocument?
    /// The payload's signing date, if it can be read.
    let signedAt: Instant?
    /// The error if the payload is not a JSON object with a signing date, or else `nil`.
    ///
    /// A verifier reports this error before every other fault of the payload.
    let fault: VerificationError?

    init(_ jws: CompactJWS) {
        let document: JSONDocument
        do {
            document = try Segment.payload.document(jws.payload)
        } catch {
            (content, self.document, signedAt, fault) = (.nothing(error), nil, nil, error)
            return
        }
        self.document = document
        guard let object = document.root.object else {
            let error = VerificationError(.malformed, "the payload is not a JSON object")
            (content, signedAt, fault) = (.nothing(error), nil, error)
            return
        }
        let kind = EvidenceKind(payload: document.root)
        content = Content(kind, payload: document.root, source: .signed(jws))
        signedAt = content.signedAt ?? Self.date(of: object, kind: kind)
        if signedAt == nil {
            let name = Self.dateMember(of: kind)
            let problem = object[name] == nil ? "is missing" : "is not a time in milliseconds since 1970"
            fault = VerificationError(.malformed, "the payload's \(name) \(problem)")
        } else {
            fault = nil
        }
    }

    /// Returns the decoded content with the result of its verification.
    ///
    /// - Parameter error: The reason why verification failed; `nil` if verification succeeded.
    func evidence(_ error: VerificationError?) -> CheckedEvidence {
        switch content {
        case .transaction(let fact): .transaction(Self.result(fact, error))
        case .renewalInfo(let fact): .renewalInfo(Self.result(fact, error))
        case .appTransaction(let fact): .appTransaction(Self.result(fact, error))
        case .notification(let fact): .notification(Self.result(fact, error))
        case .nothing(let undecodable): .unreadable(error ?? undecodable, payload: document?.root.sourceText)
        }
    }

    private static func result<Fact>(_ fact: Fact, _ error: VerificationError?) -> VerificationResult<Fact> {
        if let error { .unverified(fact, error) } else { .verified(fact) }
    }

    private static func dateMember(of kind: EvidenceKind?) -> String {
        kind == .appTransaction ? "receiptCreationDate" : "signedDate"
    }

    private static func date(of object: JSONObject, kind: EvidenceKind?) -> Instant? {
        object[dateMember(of: kind)]?.truncatedInt64.flatMap(Instant.init(millisecondsSince1970:))
    }
}

extension EvidencePayload.Content {
    /// Decodes a payload of a known kind.
    init(_ kind: EvidenceKind?, payload: JSONValue, source: EvidenceSource) {
        do throws(PayloadError) {
            switch kind {
            case .transaction: self = .transaction(try Transaction(payload: payload, source: source))
            case .renewalInfo: self = .renewalInfo(try RenewalInfo(payload: payload, source: source))
            case .appTransaction: self = .appTransaction(try AppTransaction(payload: payload, source: source))
            case .notification: self = .notification(try ServerNotification(payload: payload, source: source))
            case nil:
                self = .nothing(VerificationError(.malformed, "the payload is of no kind that is known here"))
            }
        } catch {
            self = .nothing(VerificationError(.malformed, "the payload's \(error)"))
        }
    }

    /// The date when the content was signed, if the content was decoded.
    var signedAt: Instant? {
        switch self {
        case .transaction(let fact): fact.signedAt
        case .renewalInfo(let fact): fact.signedAt
        case .appTransaction(let fact): fact.signedAt
        case .notification(let fact): fact.signedAt
        case .nothing: nil
        }
    }

    /// The kind of the decoded content.
    var kind: EvidenceKind? {
        switch self {
        case .transaction: .transaction
        case .renewalInfo: .renewalInfo
        case .appTransaction: .appTransaction
        case .notification: .notification
        case .nothing: nil
        }
    }
}
