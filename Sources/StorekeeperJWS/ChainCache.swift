import StorekeeperEngine
import Synchronization

/// The chains that were verified last, found by the exact bytes of their header segment.
///
/// The App Store signs thousands of items with one certificate, so the three signatures of a chain need
/// checking once; and many such certificates are issued by one intermediate, whose signature need be checked once,
/// too. Only chains that have also signed an item are kept: otherwise anyone could fill the cache with variants of a
/// header that carries somebody's certificates.
final class ChainCache: Sendable {
    /// How many chains are kept; the one used longest ago leaves first.
    static let capacity = 64

    /// The chains, the one used last at the front.
    private let chains = Mutex<[VerifiedChain]>([])

    /// The chain of a header, if it is known.
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

    /// The intermediate of a known chain that is made of the same bytes, as is its root.
    func intermediate(_ der: [UInt8], issuedBy root: [UInt8]) -> TrustedIntermediate? {
        chains.withLock { chains in
            chains.lazy.map(\.intermediate).first { $0.isMade(of: der, issuedBy: root) }
        }
    }

    /// Keeps a chain.
    func insert(_ chain: VerifiedChain) {
        chains.withLock { chains in
            // Another task may have been as quick.
            guard !chains.contains(where: { $0.header == chain.header }) else { return }
            if chains.count >= Self.capacity { chains.removeLast() }
            chains.insert(chain, at: 0)
        }
    }

    /// How many chains are kept now.
    var count: Int { chains.withLock { $0.count } }
}
