import CStorekeeper
import Storekeeper
import StorekeeperJWS

/// The object of an `sk_verifier`.
final class VerifierObject: HandleObject {
    static let kind = HandleKind.verifier

    let verifier: JWSVerifier

    init(_ verifier: JWSVerifier) { self.verifier = verifier }

    /// Creates a verifier with the options of the caller.
    init(_ options: sk_verifier_options) throws(Failure) {
        let root = try Arguments.bytes(options.root, options.root_length, "root")
        guard let bundleID = try Arguments.optionalText(options.bundle_id, "bundle_id"), !bundleID.isEmpty else {
            throw Failure(.invalid, "noApp", "'bundle_id' is missing; evidence of any app would count")
        }
        let environments = try Environments.set(options.environments, orIfNone: [.production])
        let appAppleID = options.app_apple_id == 0 ? nil : options.app_apple_id
        verifier = try failing {
            JWSVerifier(
                JWSVerifier.Configuration(
                    roots: [try TrustedRoot(derOrPEM: Array(root))], bundleID: bundleID, appAppleID: appAppleID,
                    environments: environments))
        }
    }
}

/// The environments of the App Store as the bits of the header.
enum Environments {
    private static let bits: [(CUnsignedInt, AppStore.Environment)] = [
        (1, .production), (2, .sandbox), (4, .xcode), (8, .localTesting),
    ]

    /// Returns the environments of bits.
    static func set(
        _ bits: CUnsignedInt, orIfNone usual: Set<AppStore.Environment>
    ) throws(Failure) -> Set<AppStore.Environment> {
        guard bits & ~15 == 0 else {
            throw Failure.misuse("badEnvironments", "'environments' has bits that are not SK_PRODUCTION and so on")
        }
        return bits == 0 ? usual : Set(Self.bits.filter { bits & $0.0 != 0 }.map(\.1))
    }
}
