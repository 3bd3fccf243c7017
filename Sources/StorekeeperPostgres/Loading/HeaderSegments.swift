import Storekeeper
import StorekeeperDurable
import Synchronization

/// The headers of signed texts that this process has seen, which stand once for all facts.
final class HeaderSegments: Sendable {
    private struct State {
        var segments: [[UInt8]: CompactJWS.HeaderSegment] = [:]
        /// The same the other way round, also of what is not written yet.
        var digests: [CompactJWS.HeaderSegment: [UInt8]] = [:]
        var wanted: Set<[UInt8]> = []
    }

    /// An App Store changes its certificates every few months.
    private static let limit = 1_024
    private let state = Mutex(State())

    /// A header by its digest; where it is not known it is wanted from now on.
    func segment(_ digest: [UInt8]) -> CompactJWS.HeaderSegment? {
        state.withLock { state in
            if let segment = state.segments[digest] { return segment }
            state.wanted.insert(digest)
            return nil
        }
    }

    /// The digest of a header, worked out once for all facts under it.
    func digest(of segment: CompactJWS.HeaderSegment) -> [UInt8] {
        if let known = state.withLock({ $0.digests[segment] }) { return known }
        let digest = Digests.sha256(segment.bytes)
        state.withLock { state in
            if state.digests.count >= Self.limit { state.digests = [:] }
            state.digests[segment] = digest
        }
        return digest
    }

    /// Whether the database has a header for sure.
    func contains(_ digest: [UInt8]) -> Bool { state.withLock { $0.segments[digest] != nil } }

    func add(_ segment: CompactJWS.HeaderSegment, digest: [UInt8]) {
        state.withLock { state in
            if state.segments.count >= Self.limit { state.segments = [:] }
            state.segments[digest] = segment
        }
    }

    /// The digests that were asked for in vain, each once.
    func takeWanted() -> [[UInt8]] {
        state.withLock { state in
            defer { state.wanted = [] }
            return Array(state.wanted)
        }
    }
}
