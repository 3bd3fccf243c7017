import Storekeeper

/// An item, or a part of a notification, that does not count.
struct EvidenceFailure {
    let error: VerificationError
    /// The environment that the item claims.
    let environment: AppStore.Environment?
    /// The products that the item names.
    ///
    /// The failure makes the ownership of these products unknown.
    let productIDs: [Product.ID]
    /// Whether the item names any product, even a consumable.
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

    /// The diagnostics that answers contain about the failure.
    ///
    /// The diagnostics do not name the file and line of the item, so that equal failures have equal diagnostics.
    var diagnostics: [Diagnostic] {
        guard error.code == .environmentRefused else {
            return [
                Diagnostic(
                    .unverifiedEvidence, subject: error.code.rawValue,
                    message: "evidence failed verification and does not count: see 'storekeeper verify'")
            ]
        }
        let name = environment?.rawValue ?? "another environment"
        let subjects: [String?] = productIDs.isEmpty ? [environment?.rawValue] : productIDs.map(\.rawValue)
        return subjects.map { subject in
            Diagnostic(
                .environmentRefused, subject: subject,
                message: "evidence of \(name) does not count: accept it with --environment \(name)")
        }
    }

    /// Returns the ids of the products other than consumables that an unverified payload names.
    static func productIDs(in payload: JSONValue) -> [Product.ID] {
        if let id = payload.object?["productId"]?.string {
            // An empty id does not name a product.
            return id.isEmpty || isConsumable(payload) ? [] : [Product.ID(id)]
        }
        let parts = payload.object?["data"]?.object
        return (parts?["signedTransactionInfo"]?.string).map(productIDs(inUnverified:)) ?? []
    }

    /// Returns the ids of the products other than consumables that a compact JWS names, without verifying its
    /// signature.
    static func productIDs(inUnverified jws: String) -> [Product.ID] {
        guard let bytes = CompactJWS(jws).flatMap({ Base64URL.decode($0.payload) }),
            let document = try? JSONReader(maximumSize: 1 << 20).read(bytes)
        else { return [] }
        return productIDs(in: document.root)
    }

    /// Returns whether a payload describes a consumable.
    ///
    /// A consumable is counted instead of owned, so no answer about it exists.
    fileprivate static func isConsumable(_ payload: JSONValue) -> Bool {
        payload.object?["type"]?.string == Product.ProductType.consumable.rawValue
    }
}

extension CheckedEvidence {
    /// The ids of the products other than consumables that the evidence names, even if verification failed.
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

    /// Whether the evidence names a consumable, even if verification failed.
    fileprivate var namesConsumable: Bool {
        switch self {
        case .transaction(let result): result.unsafePayloadValue.productType == .consumable
        case .unreadable: unreadableDocument.map { EvidenceFailure.isConsumable($0.root) } ?? false
        case .renewalInfo, .appTransaction, .notification: false
        }
    }

    /// The environment that the evidence claims, even if verification failed.
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
