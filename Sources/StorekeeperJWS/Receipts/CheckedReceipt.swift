public import StorekeeperEngine

/// A receipt of the original StoreKit, with the result of its verification.
public struct CheckedReceipt: Sendable {
    /// The forms in which receipts are stored.
    public enum Form: String, Sendable {
        /// An app receipt: PKCS #7 as DER or base64.
        case app
        /// A response of Apple's `verifyReceipt`, which has no signature but may contain an app receipt.
        case answer
        /// A receipt of one transaction, from before iOS 7.
        case transaction
    }

    /// The form; `nil` if it cannot be recognized.
    public let form: Form?
    /// The content that could be read; the content can be trusted only if ``error`` is `nil`.
    public let receipt: AppReceipt?
    /// The reason why verification failed; `nil` if verification succeeded.
    public let error: VerificationError?
    /// The next renewals according to a response of `verifyReceipt`; never verified, because the response is not
    /// signed.
    public internal(set) var renewals: [ReceiptRenewal] = []
    /// The time of a response of `verifyReceipt`.
    var answeredAt: Instant?
    /// Whether the receipt is an app receipt, or a response that contains an app receipt; app receipts have a
    /// signature.
    package private(set) var hasSignature = false

    init(form: Form?, receipt: AppReceipt?, error: VerificationError?, hasSignature: Bool = false) {
        self.form = form
        self.receipt = receipt
        self.error = error
        self.hasSignature = hasSignature
    }

    /// Whether the signature, the app and the environment are verified.
    public var isVerified: Bool { error == nil }

    /// The ids of all transactions, the newest purchase first, verified or not.
    ///
    /// An id proves nothing, but the App Store Server API returns signed evidence for it.
    public var transactionIDs: [Transaction.ID] { receipt?.transactionIDs ?? [] }
}
