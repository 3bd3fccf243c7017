import FoundationEssentials
import Storekeeper
import StorekeeperJWS

/// Checks which root certificates and environments a configuration accepts.
enum TrustCheckup {
    /// The SHA-256 fingerprint of the App Store's root certificate.
    ///
    /// - SeeAlso: Apple, "Apple PKI": Apple Root CA - G3.
    static let appleRootG3 = """
        63:34:3A:BF:B8:9A:6A:03:EB:B5:7E:9B:3F:5F:A7:BE:7C:4F:5C:75:6F:30:17:B3:A8:C4:88:C3:65:3E:91:79
        """

    /// The SHA-256 fingerprint of the root certificate of receipts of the original StoreKit.
    ///
    /// - SeeAlso: Apple, "Apple PKI": Apple Inc. Root.
    static let appleIncRoot = """
        B0:B1:73:0E:CB:C7:FF:45:05:14:2C:49:F1:29:5E:6E:DA:6B:CA:ED:7E:2C:68:C5:BE:91:B5:A1:10:01:F0:24
        """

    /// The SHA-256 fingerprint of Apple's root certificate with an RSA key, which signs no evidence of purchases.
    ///
    /// - SeeAlso: Apple, "Apple PKI": Apple Root CA - G2.
    static let appleRootG2 = """
        C2:B9:B0:42:DD:57:83:0E:7D:11:7D:AC:55:AC:8A:E1:94:07:D3:8E:41:D8:8F:32:15:BC:3A:89:04:44:A0:50
        """

    /// Returns the name and use of Apple's root certificate with a fingerprint; `nil` if it is not Apple's.
    static func appleRoot(withFingerprint fingerprint: String) -> String? {
        let roots = [
            (appleRootG3, "Apple Root CA - G3"),
            (appleIncRoot, "Apple Inc. Root, for receipts of the original StoreKit"),
            (appleRootG2, "Apple Root CA - G2, which signs no evidence of purchases"),
        ]
        return roots.first { isSame($0.0, fingerprint) }.map { "\($0.1), SHA-256 \($0.0)" }
    }

    /// Returns the findings about the app and the roots.
    ///
    /// - Parameters:
    ///   - isOwnServer: Whether the server is not Apple's, so that its signatures have a different root.
    static func findings(
        bundleID: String?, appAppleID: Int64?, environments: Set<AppStore.Environment>, roots: [TrustedRoot],
        isOwnServer: Bool
    ) -> [Finding] {
        [app(bundleID, appAppleID, environments)]
            + roots.map { root($0, environments: environments, isOwnServer: isOwnServer) }
            + missingRoot(environments, roots, isOwnServer: isOwnServer)
    }

    private static func app(
        _ bundleID: String?, _ appAppleID: Int64?, _ environments: Set<AppStore.Environment>
    ) -> Finding {
        guard let bundleID else {
            return .failure(
                "app", "no app is named, so evidence of any app is trusted",
                "add --bundle-id ID, or bundleID to storekeeper.yaml")
        }
        let names = environments.map(\.rawValue).sorted().joined(separator: ", ")
        guard appAppleID != nil || !environments.contains(.production) else {
            return .warning(
                "app", "\(bundleID) in \(names), without its App Store number, which notifications contain",
                "add --app-apple-id NUMBER, the Apple ID under App Information in App Store Connect")
        }
        return .ok("app", "\(bundleID) in \(names)")
    }

    private static func root(
        _ root: TrustedRoot, environments: Set<AppStore.Environment>, isOwnServer: Bool
    ) -> Finding {
        let fingerprint = root.sha256Fingerprint
        if let name = appleRoot(withFingerprint: fingerprint) { return .ok("root", name) }
        if root.isXcodeCertificate { return xcodeCertificate(fingerprint, environments) }
        guard isOwnServer || !environments.contains(.production) else {
            return .warning(
                "root", "not Apple's, SHA-256 \(fingerprint): anyone with its key can sign purchases",
                "do not use it with the environment Production")
        }
        return .ok("root", "a custom root, SHA-256 \(fingerprint)")
    }

    private static func xcodeCertificate(_ fingerprint: String, _ environments: Set<AppStore.Environment>) -> Finding {
        let name = "Xcode's certificate, SHA-256 \(fingerprint)"
        guard !environments.contains(.production) else {
            return .failure(
                "root", "\(name): refused together with the environment Production",
                "use --environment Xcode alone, or leave the certificate out")
        }
        guard environments.contains(.xcode) else {
            return .warning(
                "root", "\(name): not used without the environment Xcode",
                "add --environment Xcode, or leave the certificate out")
        }
        return .ok("root", "\(name), for the environment Xcode")
    }

    private static func missingRoot(
        _ environments: Set<AppStore.Environment>, _ roots: [TrustedRoot], isOwnServer: Bool
    ) -> [Finding] {
        guard !isOwnServer, environments.contains(.production) || environments.contains(.sandbox),
            !roots.contains(where: { isSame($0.sha256Fingerprint, appleRootG3) })
        else { return [] }
        return [
            .failure(
                "root", "evidence of the App Store is not trusted without Apple Root CA - G3",
                "download it from https://www.apple.com/certificateauthority/ and name it with --root FILE")
        ]
    }

    /// Returns whether two fingerprints are equal, ignoring colons and case.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        digits(left) == digits(right)
    }

    private static func digits(_ fingerprint: String) -> String { fingerprint.filter { $0 != ":" }.lowercased() }

    // MARK: The key

    /// Returns the finding about whether the ids of a key have App Store Connect's formats.
    static func ids(keyID: String, issuerID: String, isOwnServer: Bool) -> Finding {
        guard !isOwnServer else { return .ok("key ids", "key \(keyID), issuer \(issuerID)") }
        let isKeyID = keyID.utf8.count == 10 && keyID.utf8.allSatisfy(isCapitalOrDigit)
        guard isKeyID else {
            return .warning(
                "key ids", "'\(keyID)' does not look like a key id, which has ten capital letters and digits",
                "copy it from App Store Connect, Users and Access, Integrations, In-App Purchase")
        }
        guard UUID(uuidString: issuerID) != nil else {
            return .warning(
                "key ids", "'\(issuerID)' does not look like an issuer id, which is a UUID",
                "copy it from above the list of keys in App Store Connect")
        }
        return .ok("key ids", "key \(keyID), issuer \(issuerID)")
    }

    private static func isCapitalOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Returns the finding about whether the name of a key file contains the key's id; `nil` for a name that App Store
    /// Connect does not assign.
    static func keyName(_ path: String, keyID: String) -> Finding? {
        let name = path.split(separator: "/").last ?? ""
        guard name.hasSuffix(".p8"), let prefix = ["AuthKey_", "SubscriptionKey_"].first(where: { name.hasPrefix($0) })
        else {
            return nil
        }
        let named = name.dropFirst(prefix.count).dropLast(3)
        guard named != keyID else { return .ok("key name", "\(name) is the file of the key '\(keyID)'") }
        return .warning(
            "key name", "the file name \(name) contains the key id '\(named)', but the given id is '\(keyID)'",
            "use --key-id \(named), or the file of the key '\(keyID)'")
    }

    /// Returns the finding about the permissions of a file with a secret.
    static func secret(_ check: String, _ path: String, mode: UInt32, isFile: Bool = true) -> Finding {
        guard isFile else { return .failure(check, "\(path) is not a file", "name the file itself") }
        guard mode & 0o077 == 0 else {
            return .warning(
                check, "\(path) can be opened by other users (mode \(String(mode & 0o777, radix: 8)))",
                "chmod 600 \(path)")
        }
        return .ok(check, "\(path) can be opened only by its owner")
    }
}
