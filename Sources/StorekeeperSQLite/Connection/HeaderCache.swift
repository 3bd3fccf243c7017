import Storekeeper
import Synchronization

/// The header segments that were read so far, so that thousands of facts share one segment in memory.
///
/// Only committed headers are added. Headers are never removed from a vault, so that entries stay valid.
final class HeaderCache: Sendable {
    /// The maximum number of cached segments; a vault has a handful of headers, and any beyond the maximum are looked
    /// up each time.
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
