import CStorekeeper
import Dispatch
import Storekeeper
import Synchronization

/// A source of evidence whose functions belong to the caller.
///
/// The functions are called one at a time, in threads of the backend's queue, without a lock.
final class CallbackBackend: StoreBackend {
    let name: String
    private let functions: Functions
    private let pool: UInt64
    private let queue = DispatchQueue(label: "storekeeper.backend")
    /// The stream of updates has no items: notifications reach the pool by `sk_pool_receive`.
    private let silence = AsyncStream<TransactionUpdate>.makeStream()

    /// The caller's struct.
    // It is unchecked because it has pointers. The functions are only called on the serial queue, and the context is only
    // passed to them.
    private struct Functions: @unchecked Sendable {
        let backend: sk_backend
    }

    init(_ backend: sk_backend, pool: UInt64) throws(Failure) {
        guard let name = try Arguments.optionalText(backend.name, "name"), !name.isEmpty else {
            throw Failure(.invalid, "noName", "the backend has no name, under which the vault keeps its place")
        }
        guard backend.history != nil else { throw Failure.null("history") }
        self.name = name
        self.pool = pool
        functions = Functions(backend: backend)
    }

    /// Calls `release` after the last call of another function.
    func close() async {
        await withCheckedContinuation { continuation in
            queue.async { [functions] in
                functions.backend.release?(functions.backend.context)
                continuation.resume()
            }
        }
    }

    func history(for customer: CustomerID, after cursor: HistoryCursor?) async throws -> EvidencePage {
        let answer = try await reply { backend, reply in
            customer.rawValue.withCString { customer in
                (cursor?.rawValue ?? "").withCString { cursor in
                    backend.history?(backend.context, reply, customer, cursor)
                }
            }
        }
        let root = try Self.document(answer, "an object with 'items'")
        guard let items = root.object?["items"]?.array else {
            throw Failure(.invalid, "badReply", "the reply of 'history' is not an object with the array 'items'")
        }
        var page = EvidencePage(items: [])
        for item in items {
            guard let text = item.string else {
                throw Failure(.invalid, "badReply", "an item of 'history' is not a string")
            }
            page.items.append(text)
        }
        if let next = root.object?["next"], !next.isNull {
            guard let cursor = next.string, !cursor.isEmpty, !cursor.utf8.contains(0) else {
                throw Failure(.invalid, "badReply", "'next' of 'history' is not a string, is empty, or has a zero byte")
            }
            page.next = HistoryCursor(rawValue: cursor)
        }
        return page
    }

    func subscriptionStatuses(for customer: CustomerID) async throws -> [SignedStatus] {
        guard functions.backend.statuses != nil else { return [] }
        let answer = try await reply { backend, reply in
            customer.rawValue.withCString { backend.statuses?(backend.context, reply, $0) }
        }
        guard let list = try Self.document(answer, "an array").array else {
            throw Failure(.invalid, "badReply", "the reply of 'statuses' is not an array")
        }
        return try list.map { item in
            guard let transaction = item.object?["transaction"]?.string else {
                throw Failure(.invalid, "badReply", "an item of 'statuses' has no 'transaction'")
            }
            return SignedStatus(transaction: transaction, renewalInfo: item.object?["renewalInfo"]?.string)
        }
    }

    func updates(after cursor: UpdateCursor?) -> any AsyncSequence<TransactionUpdate, Never> & Sendable {
        silence.stream
    }

    func finish(_ grant: DurableGrant) async throws {}

    private static func document(_ bytes: [UInt8], _ form: String) throws -> JSONValue {
        do {
            return try JSONReader(maximumDepth: 16).read(bytes).root
        } catch {
            throw Failure(.invalid, "badReply", "the reply of the backend is not JSON, \(form): \(error)")
        }
    }

    /// Calls a function of the caller, and returns the text of its reply.
    private func reply(_ call: @escaping @Sendable (sk_backend, OpaquePointer) -> Void) async throws -> [UInt8] {
        let reply = ReplyObject()
        let handle = ReplyHandle(pointer: try handles.add(reply))
        // The store cancels a call that takes too long.
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                reply.expect(continuation)
                queue.async { [functions, pool] in
                    guard reply.isExpected else { return }
                    skc_set_calling_pool(pool)
                    call(functions.backend, handle.pointer)
                    skc_set_calling_pool(0)
                }
            }
        } onCancel: {
            // The handle is freed, so that a late reply is refused.
            _ = try? handles.free(handle.pointer, as: ReplyObject.self)
            reply.send(.failure(CancellationError()))
        }
    }

    /// A handle of the table.
    // It is unchecked because it has a pointer, which is a number and not an address.
    private struct ReplyHandle: @unchecked Sendable {
        let pointer: OpaquePointer
    }
}

/// The object of an `sk_reply`, to which the caller gives one answer.
final class ReplyObject: HandleObject {
    static let kind = HandleKind.reply

    private enum State {
        case new
        case expected(CheckedContinuation<[UInt8], any Error>)
        case sent
    }

    private let state = Mutex(State.new)

    /// Whether the answer was not given yet.
    var isExpected: Bool {
        state.withLock { state in
            if case .expected = state { true } else { false }
        }
    }

    /// Resumes a continuation with the answer; with a cancellation error if the call was cancelled before.
    func expect(_ continuation: CheckedContinuation<[UInt8], any Error>) {
        let wasSent = state.withLock { state in
            if case .sent = state { return true }
            state = .expected(continuation)
            return false
        }
        if wasSent { continuation.resume(throwing: CancellationError()) }
    }

    /// Gives the answer; only the first one counts.
    func send(_ result: Result<[UInt8], any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<[UInt8], any Error>? in
            defer { state = .sent }
            if case .expected(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(with: result)
    }
}
