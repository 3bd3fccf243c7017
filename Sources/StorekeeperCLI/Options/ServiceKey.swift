/// The settings of the companion service, by their name in the file.
enum ServiceKey: String, CaseIterable {
    case host, port, allowRemote, keys, leaseKey, leaseLife, certificate, privateKey, log, logFormat, connections,
        openRate, desk, revocation

    /// Whether the value is a path, which in the file is relative to the file.
    var isPath: Bool { [.keys, .leaseKey, .certificate, .privateKey].contains(self) }

    /// The environment variable, such as `STOREKEEPER_SERVE_LEASE_LIFE`.
    var variable: String {
        "STOREKEEPER_SERVE_" + rawValue.map { $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
    }
}
