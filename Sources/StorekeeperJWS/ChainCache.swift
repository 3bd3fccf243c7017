import StorekeeperEngine
import Synchronization

/// The most recently used verified certificate chains, looked up by the exact bytes of their header segment.
///
/// The App Store signs thousands of items with one certificate, so the signatures of the certificate chain need to be
/// checked only once. One intermediate issues many such certificates, so the intermediate's own signature is checked
/// only once, too. A certificate chain is cached only after it has signed a valid item. Without this rule, anyone could
/// fill the cache with variants of a header that contains the public certificates of the App Store.
final class ChainCache: Sendable {
    /// The maximum number of cached certificate chains; the least recently used certificate chain is evicted first.
    static let capacity = 64

    /// The certificate chains, most recently used first.
    private let chains = Mutex<[VerifiedChain]>([])

    /// Returns the cached certificate chain of a header.
    func chain(for header: CompactJWS.HeaderSegment) -> VerifiedChain? {
        chains.withLock { chains in
            guard let position = chains.firstIndex(where: { $0.header == header }) else { return nil }
            let chain = chains[position]
            if position > 0 {
                chains.remove(at: position)
                chains.insert(chain, at: 0)
            }
            return chain
        }
    }

    /// Returns the checked intermediate with exactly the given bytes under the given root, if a cached certificate
    /// chain contains it.
    func intermediate(_ der: [UInt8], issuedBy root: [UInt8]) -> TrustedIntermediate? {
        chains.withLock { chains in
            chains.lazy.compactMap(\.intermediate).first { $0.isMade(of: der, issuedBy: root) }
        }
    }

    /// Inserts a certificate chain.
    func insert(_ chain: VerifiedChain) {
        chains.withLock { chains in
            // Another task may have inserted the same certificate chain.
            guard !chains.contains(where: { $0.header == chain.header }) else { return }
            if chains.count >= Self.capacity { chains.removeLast() }
            chains.insert(chain, at: 0)
        }
    }

    /// The number of cached certificate chains.
    var count: Int { chains.withLock { $0.count } }
}
