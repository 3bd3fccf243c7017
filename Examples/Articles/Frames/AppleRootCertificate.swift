import StorekeeperJWS

private struct WrongRoot: Error {}

private func load(_ rootFile: [UInt8], expecting expectedFingerprint: String) throws -> TrustedRoot {
    // block 1
    return root
}
