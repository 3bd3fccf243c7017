import Crypto
public import FoundationEssentials
public import StorekeeperEngine

/// Checks whether a copy (a signed transaction, renewal info or app transaction) was made for a given device.
///
/// A copy that a device obtains contains a digest of the device's id; a copy that a server obtains contains no digest.
/// A server should therefore accept a copy without a digest from the App Store, but refuse such a copy from a device.
///
/// - SeeAlso: Apple, "StoreKit: deviceVerification".
public enum DeviceVerification: Sendable {
    /// Returns the digest of a device: SHA-384 of the nonce and the id, each as lower-case text with dashes.
    ///
    /// - Returns: The digest, which has 48 bytes.
    public static func digest(nonce: UUID, deviceID: UUID) -> [UInt8] {
        var hash = SHA384()
        hash.update(data: Array(nonce.uuidString.lowercased().utf8))
        hash.update(data: Array(deviceID.uuidString.lowercased().utf8))
        return Array(hash.finalize())
    }

    /// Returns the digest of a device in an app receipt: SHA-1 of the device's identifier, the receipt's opaque value
    /// and the bundle id.
    ///
    /// - Returns: The digest, which has 20 bytes.
    package static func receiptDigest(
        device: some Sequence<UInt8>, opaque: some Sequence<UInt8>, bundle: some Sequence<UInt8>
    ) -> [UInt8] {
        Array(Insecure.SHA1.hash(data: Array(device) + Array(opaque) + Array(bundle)))
    }

    /// Returns whether a digest is the digest of a device; the comparison takes constant time.
    ///
    /// - Parameters:
    ///   - digest: The digest as base64 text with the standard alphabet and padding; any other text does not match.
    ///   - nonce: The nonce of the same signed copy.
    ///   - deviceID: The id of the device, as the device reports it.
    public static func matches(_ digest: String, nonce: UUID, deviceID: UUID) -> Bool {
        guard let found = StandardBase64.decode(digest.utf8) else { return false }
        let expected = Self.digest(nonce: nonce, deviceID: deviceID)
        guard found.count == expected.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(found, expected) { difference |= left ^ right }
        return difference == 0
    }

    /// Returns whether a transaction was signed for a device; `false` if the transaction contains no digest.
    public static func matches(_ transaction: Transaction, deviceID: UUID) -> Bool {
        matches(transaction.deviceVerification, transaction.deviceVerificationNonce, deviceID)
    }

    /// Returns whether a renewal info was signed for a device; `false` if the renewal info contains no digest.
    public static func matches(_ renewalInfo: RenewalInfo, deviceID: UUID) -> Bool {
        matches(renewalInfo.deviceVerification, renewalInfo.deviceVerificationNonce, deviceID)
    }

    /// Returns whether an app transaction was signed for a device; `false` if the app transaction contains no digest.
    public static func matches(_ appTransaction: AppTransaction, deviceID: UUID) -> Bool {
        matches(appTransaction.deviceVerification, appTransaction.deviceVerificationNonce, deviceID)
    }

    private static func matches(_ digest: String?, _ nonce: UUID?, _ deviceID: UUID) -> Bool {
        guard let digest, let nonce else { return false }
        return matches(digest, nonce: nonce, deviceID: deviceID)
    }
}
