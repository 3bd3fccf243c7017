/// The settings of the companion service, named as in the file.
enum ServiceKey: String, CaseIterable {
    case host, port, allowRemote, keys, leaseKey, leaseLife, certificate, privateKey, log, logFormat, connections,
        openRate, desk, revocation

    /// Whether the value is a path, which in the file is relative to the file.
    var isPath: Bool { [.keys, .leaseKey, .certificate, .privateKey].contains(self) }
}
