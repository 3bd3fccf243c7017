import Logging
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS

/// The exchange of receipts of the original StoreKit for evidence that the App Store has signed.
extension CompanionService {
    /// The maximum number of receipts in a request, because the exchange of each receipt takes several requests.
    private static let maximumReceipts = 10

    static func checkCount(of receipts: [CheckedReceipt]) throws(Problem) {
        guard receipts.count <= maximumReceipts else {
            throw .badRequest(
                "the body contains \(receipts.count) receipts", "send at most \(maximumReceipts) in a request")
        }
    }

    /// Returns the evidence that the App Store has signed about the customer of a receipt, as compact JWS.
    ///
    /// The App Store is asked about the newest transaction of the receipt.
    ///
    /// - Throws: `VerificationError` if the receipt itself cannot be exchanged; ``Problem`` if the App Store cannot be
    ///   asked; `CancellationError`.
    func evidence(for receipt: CheckedReceipt, _ request: CompanionRequest) async throws -> [String] {
        guard let content = receipt.receipt else {
            throw VerificationError(
                .malformed, "\(receipt.error?.message ?? "the receipt is empty"); send the whole receipt, in base64")
        }
        if let other = content.bundleID, !other.hasSameBytes(as: bundleID) {
            throw VerificationError(
                .bundleMismatch, "the receipt is about the app '\(other.prefix(64))'; send receipts of '\(bundleID)'")
        }
        guard let id = receipt.transactionIDs.first else {
            throw VerificationError(
                .noPurchase,
                "the receipt contains no purchase to ask the App Store about; refresh it on the device, or send the "
                    + "jwsRepresentation of a transaction")
        }
        guard let appStore = configuration.appStore else { throw Problem.noAppStore }
        do {
            let items = try await appStore.evidence(of: id.rawValue).items
            if !items.isEmpty { return items }
        } catch let error as AppStoreServerError {
            guard error.apiCode == .transactionIDNotFound || error.apiCode == .invalidTransactionID else {
                request.logger.warning("a receipt was not exchanged: \(error)")
                throw Problem(asking: error)
            }
        }
        throw VerificationError(
            .unknownTransaction,
            "the App Store has no transaction with the newest id in the receipt; check 'bundleID' and 'environments' of "
                + "the service")
    }
}

extension VerificationErrorCode {
    /// The receipt contains no purchase.
    fileprivate static let noPurchase = Self(rawValue: "noPurchase")
    /// The App Store does not have the transaction that the receipt names.
    fileprivate static let unknownTransaction = Self(rawValue: "unknownTransaction")
}
