import StorekeeperEngine

extension JWSVerifier {
    /// Lets the revocation checker find out what it needs to judge items, before they are verified.
    ///
    /// No call of ``verify(_:)-(String)`` waits for a network, so whoever can wait calls this first. Only certificates
    /// that lead to a trusted root are asked about: nobody can send the checker to an address of their choice.
    ///
    /// - Parameter items: Compact JWS; those that are none, or whose certificates are not trusted, are passed over.
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

    /// The certificates of an item, where they lead to a trusted root.
    private func provenChain(of jws: CompactJWS) -> SigningChain? {
        if let known = cache.chain(for: jws.header) { return known.certificates }
        guard let header = try? JWSHeader(segment: jws.header.bytes), header.refusal == nil else { return nil }
        return try? VerifiedChain(header: jws.header, certificates: header.certificates, roots: roots, known: cache)
            .certificates
    }
}
