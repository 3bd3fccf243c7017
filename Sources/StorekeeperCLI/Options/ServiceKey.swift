/// The settings of the companion service, named as in the file.
enum ServiceKey: String, CaseIterable {
    case host, port, allowRemote, keys, leaseKey, leaseLife, certificate, privateKey, log, logFormat, logTo,
        connections,
        openRate, desk, revocation, offerKey, offerKeyId, offerIssuerId

    /// Whether the value is a path, which in the file is relative to the file.
    var isPath: Bool { [.keys, .leaseKey, .certificate, .privateKey, .offerKey].contains(self) }

    /// The option, such as `--lease-life`.
    var option: String { "--" + rawValue.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined() }

    /// The environment variable, such as `STOREKEEPER_SERVE_LEASE_LIFE`.
    var variable: String { "STOREKEEPER_SERVE_" + option.dropFirst(2).uppercased().replacing("-", with: "_") }
}
