import Storekeeper
import Synchronization

/// A cache of JWS header segments; thousands of facts share one segment in memory.
///
/// Only committed headers are added. Headers are never removed from a vault, so that cached segments stay valid.
final class HeaderCache: Sendable {
    /// The maximum number of cached segments.
    ///
    /// A vault usually has only a few headers. Headers beyond the maximum are looked up on each use.
    private static let limit = 64
    private let segments = Mutex<[(id: Int64, segment: CompactJWS.HeaderSegment)]>([])

    func segment(_ id: Int64) -> CompactJWS.HeaderSegment? {
        segments.withLock { $0.first { $0.id == id }?.segment }
    }

    func id(of segment: CompactJWS.HeaderSegment) -> Int64? {
        segments.withLock { $0.first { $0.segment == segment }?.id }
    }

    func insert(_ segment: CompactJWS.HeaderSegment, under id: Int64) {
        segments.withLock { segments in
            guard segments.count < Self.limit, !segments.contains(where: { $0.id == id }) else { return }
            segments.append((id, segment))
        }
    }
}
