/// The settings of the companion service, named as in `serve` of storekeeper.yaml.
enum ServiceKey: String, CaseIterable {
    case host, port, allowRemote, keys, leaseKey, leaseLife, certificate, privateKey, log, logFormat, logTo,
        connections, healthPort,
        openRate, desk, revocation, offerKey, offerKeyId, offerIssuerId,
        appStoreServer

    /// Whether the value is a path.
    ///
    /// A path in storekeeper.yaml is relative to the folder of storekeeper.yaml.
    var isPath: Bool { [.keys, .leaseKey, .certificate, .privateKey, .offerKey].contains(self) }

    /// The name of the option, such as `--lease-life`.
    var option: String { "--" + rawValue.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined() }

    /// The name of the environment variable, such as `STOREKEEPER_SERVE_LEASE_LIFE`.
    var variable: String { "STOREKEEPER_SERVE_" + option.dropFirst(2).uppercased().replacing("-", with: "_") }
}
