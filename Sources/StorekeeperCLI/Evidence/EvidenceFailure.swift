import Storekeeper

/// An item, or a part of a notification, that counts for nothing.
struct EvidenceFailure {
    let error: VerificationError
    /// The environment it claims, where that is why it was refused.
    let environment: AppStore.Environment?
    /// The products it names, which may be owned and cannot be told.
    let productIDs: [Product.ID]
    /// Whether it names a product, be it a consumable.
    let namesProduct: Bool
    let file: String
    let line: Int

    init(_ evidence: CheckedEvidence, _ error: VerificationError, file: String, line: Int) {
        self.error = error
        environment = evidence.environment
        productIDs = evidence.namedProductIDs
        namesProduct = !productIDs.isEmpty || evidence.namesConsumable
        self.file = file
        self.line = line
    }

    init(payload: JSONValue?, _ error: VerificationError, file: String, line: Int) {
        self.error = error
        environment = nil
        productIDs = payload.map(Self.productIDs) ?? []
        namesProduct = !productIDs.isEmpty || payload.map(Self.isConsumable) ?? false
        self.file = file
        self.line = line
    }

    /// What an answer says of it: no position, and the same words for the same fault.
    var diagnostics: [Diagnostic] {
        guard error.code == .environmentRefused else {
            return [
                Diagnostic(
                    .warning, .unverifiedEvidence, subject: error.code.rawValue,
                    message: "evidence failed verification and counts for nothing: see 'storekeeper verify'")
            ]
        }
        let name = environment?.rawValue ?? "another environment"
        let subjects: [String?] = productIDs.isEmpty ? [environment?.rawValue] : productIDs.map(\.rawValue)
        return subjects.map { subject in
            Diagnostic(
                .warning, .environmentRefused, subject: subject,
                message: "evidence of \(name) counts for nothing: accept it with --environment \(name)")
        }
    }

    /// The products that a payload names which nobody vouches for.
    static func productIDs(in payload: JSONValue) -> [Product.ID] {
        if let id = payload.object?["productId"]?.string { return isConsumable(payload) ? [] : [Product.ID(id)] }
        let parts = payload.object?["data"]?.object
        return (parts?["signedTransactionInfo"]?.string).map(productIDs(inUnverified:)) ?? []
    }

    /// The products that a compact JWS names, without looking at its signature.
    static func productIDs(inUnverified jws: String) -> [Product.ID] {
        guard let bytes = CompactJWS(jws).flatMap({ Base64URL.decode($0.payload) }),
            let document = try? JSONReader(maximumSize: 1 << 20).read(bytes)
        else { return [] }
        return productIDs(in: document.root)
    }

    /// Consumables are counted, not owned: they have no answer that could be unknown.
    fileprivate static func isConsumable(_ payload: JSONValue) -> Bool {
        payload.object?["type"]?.string == Product.ProductType.consumable.rawValue
    }
}

extension CheckedEvidence {
    /// The products it names, believed or not.
    var namedProductIDs: [Product.ID] {
        switch self {
        case .transaction(let result):
            result.unsafePayloadValue.productType == .consumable ? [] : [result.unsafePayloadValue.productID]
        case .renewalInfo(let result): result.unsafePayloadValue.currentProductID.map { [$0] } ?? []
        case .appTransaction: []
        case .notification(let result):
            result.unsafePayloadValue.signedTransactionInfo.map(EvidenceFailure.productIDs(inUnverified:)) ?? []
        case .unreadable: unreadableDocument.map { EvidenceFailure.productIDs(in: $0.root) } ?? []
        }
    }

    /// Whether it names a consumable, believed or not.
    fileprivate var namesConsumable: Bool {
        switch self {
        case .transaction(let result): result.unsafePayloadValue.productType == .consumable
        case .unreadable: unreadableDocument.map { EvidenceFailure.isConsumable($0.root) } ?? false
        case .renewalInfo, .appTransaction, .notification: false
        }
    }

    /// The environment it claims, believed or not.
    var environment: AppStore.Environment? {
        switch self {
        case .transaction(let result): result.unsafePayloadValue.environment
        case .renewalInfo(let result): result.unsafePayloadValue.environment
        case .appTransaction(let result): result.unsafePayloadValue.environment
        case .notification(let result): result.unsafePayloadValue.environment
        case .unreadable: nil
        }
    }
}
