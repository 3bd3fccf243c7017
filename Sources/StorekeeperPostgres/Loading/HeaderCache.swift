import Storekeeper
import StorekeeperDurable
import Synchronization

/// The headers of signed texts that this process has seen, which stand once for all facts.
final class HeaderCache: Sendable {
    private struct State {
        var segments: [[UInt8]: CompactJWS.HeaderSegment] = [:]
        /// The same the other way round, also of what is not written yet.
        var digests: [CompactJWS.HeaderSegment: [UInt8]] = [:]
        /// Those that the database has for sure.
        var written: Set<[UInt8]> = []
        /// Counts how often that was doubted.
        var era = 0
    }

    /// An App Store changes its certificates every few months.
    private static let limit = 1_024
    private let state = Mutex(State())

    /// A header by its digest.
    func segment(_ digest: [UInt8]) -> CompactJWS.HeaderSegment? { state.withLock { $0.segments[digest] } }

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
    func isWritten(_ digest: [UInt8]) -> Bool { state.withLock { $0.written.contains(digest) } }

    /// What ``markWritten(_:since:)`` is to be told by who writes from now on.
    var era: Int { state.withLock { $0.era } }

    /// Notes what the database has.
    ///
    /// - Parameter era: When the connection was there already over which it was written.
    func markWritten(_ headers: [[UInt8]: CompactJWS.HeaderSegment], since era: Int) {
        for (digest, segment) in headers { add(segment, digest: digest) }
        state.withLock { state in
            guard state.era == era else { return }
            if state.written.count >= Self.limit { state.written = [] }
            state.written.formUnion(headers.keys)
        }
    }

    /// Is to be told when a connection is made: it may lead to another server, which has lost what was written last, or to
    /// a copy of the database that was restored.
    func doubtWritten() {
        state.withLock { state in
            state.written = []
            state.era += 1
        }
    }

    func add(_ segment: CompactJWS.HeaderSegment, digest: [UInt8]) {
        state.withLock { state in
            if state.segments.count >= Self.limit { state.segments = [:] }
            state.segments[digest] = segment
        }
    }
}

/// Looks headers up while the rows of one answer are read, and remembers those that have to be loaded first.
final class HeaderLookup: Sendable {
    private let headers: HeaderCache
    private let missing = Mutex<Set<[UInt8]>>([])

    init(_ headers: HeaderCache) { self.headers = headers }

    /// A header by its digest; where it is not known it is wanted from now on.
    func segment(_ digest: [UInt8]) -> CompactJWS.HeaderSegment? {
        if let segment = headers.segment(digest) { return segment }
        _ = missing.withLock { $0.insert(digest) }
        return nil
    }

    /// The digests that were asked for in vain, each once.
    func takeWanted() -> [[UInt8]] {
        missing.withLock { missing in
            defer { missing = [] }
            return Array(missing)
        }
    }
}
