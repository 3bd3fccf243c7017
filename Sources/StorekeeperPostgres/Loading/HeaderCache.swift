import Storekeeper
import StorekeeperDurable
import Synchronization

/// The JWS headers that this process has seen.
///
/// Many signed transactions share one JWS header. A header is stored once, and a fact refers to it by its digest.
final class HeaderCache: Sendable {
    private struct State {
        var segments: [[UInt8]: CompactJWS.HeaderSegment] = [:]
        /// The digest of each header, even if the header is not written yet.
        var digests: [CompactJWS.HeaderSegment: [UInt8]] = [:]
        /// The digests of the headers that are certainly in the database.
        var written: Set<[UInt8]> = []
        /// The number of times that ``written`` was cleared by ``invalidateWritten()``.
        var era = 0
    }

    /// The maximum number of cached headers.
    ///
    /// The maximum is rarely reached, because the App Store changes its certificates only every few months.
    private static let limit = 1_024
    private let state = Mutex(State())

    /// Returns a header by its digest.
    func segment(_ digest: [UInt8]) -> CompactJWS.HeaderSegment? { state.withLock { $0.segments[digest] } }

    /// Returns the digest of a header.
    ///
    /// The digest is cached, so that it is computed only once for all facts with this header.
    func digest(of segment: CompactJWS.HeaderSegment) -> [UInt8] {
        if let known = state.withLock({ $0.digests[segment] }) { return known }
        let digest = Digests.sha256(segment.bytes)
        state.withLock { state in
            if state.digests.count >= Self.limit { state.digests = [:] }
            state.digests[segment] = digest
        }
        return digest
    }

    /// Returns whether a header is certainly in the database.
    func isWritten(_ digest: [UInt8]) -> Bool { state.withLock { $0.written.contains(digest) } }

    /// The value to pass to ``markWritten(_:since:)`` after writes that begin now.
    var era: Int { state.withLock { $0.era } }

    /// Records headers as written.
    ///
    /// - Parameter era: The value of ``era`` before the write began. If ``era`` has changed since then, the headers are
    ///   not recorded, because the write may have reached another server.
    func markWritten(_ headers: [[UInt8]: CompactJWS.HeaderSegment], since era: Int) {
        for (digest, segment) in headers { add(segment, digest: digest) }
        state.withLock { state in
            guard state.era == era else { return }
            if state.written.count >= Self.limit { state.written = [] }
            state.written.formUnion(headers.keys)
        }
    }

    /// Empties the list of headers that are certainly in the database.
    ///
    /// Call this when a connection is opened, because the connection may lead to another server that lacks the last
    /// writes, or to a restored copy of the database.
    func invalidateWritten() {
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

/// Looks up headers while the rows of a result are read, and collects the digests of headers that must be loaded.
final class HeaderLookup: Sendable {
    private let headers: HeaderCache
    private let missing = Mutex<Set<[UInt8]>>([])

    init(_ headers: HeaderCache) { self.headers = headers }

    /// Returns a header by its digest.
    ///
    /// A header that this process has not seen is recorded as missing.
    func segment(_ digest: [UInt8]) -> CompactJWS.HeaderSegment? {
        if let segment = headers.segment(digest) { return segment }
        _ = missing.withLock { $0.insert(digest) }
        return nil
    }

    /// Returns the digests of the missing headers without duplicates, and empties the collection of missing headers.
    func takeMissing() -> [[UInt8]] {
        missing.withLock { missing in
            defer { missing = [] }
            return Array(missing)
        }
    }
}
