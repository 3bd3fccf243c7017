import StorekeeperEngine

extension JWSVerifier {
    /// Lets the revocation checker request the statuses of the certificates of items, before the items are verified.
    ///
    /// A call of ``verify(_:)-(String)`` never waits for a network, so callers that can wait should call this first.
    /// The checker is asked only about certificates that lead to a trusted root, so that an attacker cannot direct the
    /// checker to a URL of their choice.
    ///
    /// - Parameter items: Compact JWS; invalid items and items whose certificates are not trusted are skipped.
    public func learnRevocation(of items: [String]) async {
        guard let checker = configuration.revocation else { return }
        var learned: Set<SigningChain> = []
        for item in items where !Task.isCancelled {
            guard let jws = CompactJWS(item), let chain = provenChain(of: jws), learned.insert(chain).inserted else {
                continue
            }
            await checker.learn(chain)
        }
    }

    /// Returns the certificates of an item, if they lead to a trusted root.
    private func provenChain(of jws: CompactJWS) -> SigningChain? {
        if let known = cache.chain(for: jws.header) { return known.certificates }
        guard let header = try? JWSHeader(segment: jws.header.bytes) else { return nil }
        return (try? chain(of: header, segment: jws.header))?.certificates
    }
}
