import FoundationEssentials
import Storekeeper
import StorekeeperTesting
import Synchronization
import Testing

/// Tests of sources of product descriptions.
struct ProductSourceTests {
    /// A server that returns prepared answers.
    private final class Server: Sendable {
        struct Fault: Error {}
        private let state = Mutex<(answers: [Result<RemoteProductList.Copy?, any Error>], etags: [String?])>(([], []))

        var etags: [String?] { state.withLock { $0.etags } }

        func answer(_ answers: Result<RemoteProductList.Copy?, any Error>...) {
            state.withLock { $0.answers += answers }
        }

        func fetch(etag: String?) throws -> RemoteProductList.Copy? {
            let answer = state.withLock { state in
                state.etags.append(etag)
                return state.answers.isEmpty ? Result.failure(Fault()) : state.answers.removeFirst()
            }
            return try answer.get()
        }

        func list(cache: RemoteProductList.Cache? = nil) -> RemoteProductList {
            RemoteProductList(url: "https://example.com/products.json", cache: cache) { [self] _, etag in
                try fetch(etag: etag)
            }
        }
    }

    private static func copy(_ text: String, etag: String? = nil) -> RemoteProductList.Copy {
        RemoteProductList.Copy(bytes: Array(text.utf8), etag: etag)
    }

    @Test("A catalog and a fetched list conform to the port")
    func conformance() async {
        await ProductSourceConformance(known: TestShop.catalog.products.map(\.id)) {
            CatalogProductSource(TestShop.catalog)
        }
        .run()
        await ProductSourceConformance(known: ["coins.100", "gold.monthly"]) {
            let server = Server()
            server.answer(.success(Self.copy(#"{"products":["coins.100","gold.monthly"]}"#)))
            return server.list()
        }
        .run()
    }

    @Test("A failed, empty or malformed answer keeps the last good list and is reported")
    func lastGood() async throws {
        let server = Server()
        let list = server.list()
        server.answer(
            .success(Self.copy(#"{"products":["coins.100"]}"#, etag: "\"1\"")), .failure(Server.Fault()),
            .success(Self.copy("")), .success(Self.copy(#"{"products":[]}"#)), .success(Self.copy("<html>")),
            .success(nil), .success(Self.copy(#"{"products":["coins.500"]}"#, etag: "\"2\"")))
        guard case .updated(_, nil) = await list.refresh() else { return #expect(Bool(false), "no list") }
        for _ in 0..<4 {
            guard case .failed = await list.refresh() else { return #expect(Bool(false), "no failure reported") }
            #expect(try await list.products(for: ["coins.100"]).map(\.id) == ["coins.100"])
        }
        guard case .notModified = await list.refresh() else { return #expect(Bool(false), "modified") }
        guard case .updated = await list.refresh() else { return #expect(Bool(false), "not updated") }
        #expect(try await list.products(for: ["coins.100", "coins.500"]).map(\.id) == ["coins.500"])
        #expect(server.etags == [nil] + Array(repeating: "\"1\"", count: 6))
    }

    @Test("The last good copy is stored with its ETag and survives the process")
    func kept() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "product-list-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = RemoteProductList.Cache.file(folder.appending(path: "list").path)
        let server = Server()
        server.answer(.success(Self.copy("{\"products\":\n[\"coins.100\"]}", etag: "W/\"1\"")))
        _ = await server.list(cache: cache).refresh()

        let later = server.list(cache: cache)
        guard case .failed = await later.refresh() else { return #expect(Bool(false), "no failure reported") }
        #expect(later.catalog?.products.map(\.id) == ["coins.100"])
        #expect(server.etags == [nil, "W/\"1\""])
    }

    @Test("The newest list is stored, even if the save of an older one ends last")
    func overlappingSaves() async throws {
        let server = Server()
        server.answer(.success(Self.copy(#"{"products":["old"]}"#)), .success(Self.copy(#"{"products":["new"]}"#)))
        let saved = Mutex<[String]>([])
        let (began, reportBegan) = AsyncStream<Void>.makeStream()
        let (mayEnd, letEnd) = AsyncStream<Void>.makeStream()
        let list = server.list(
            cache: RemoteProductList.Cache(load: { nil }) { copy in
                let text = String(decoding: copy.bytes, as: UTF8.self)
                if text.contains("old") {
                    reportBegan.yield()
                    for await _ in mayEnd { break }
                }
                saved.withLock { $0.append(text) }
            })
        async let first = list.refresh()
        for await _ in began { break }
        _ = await list.refresh()
        letEnd.yield()
        _ = await first
        #expect(saved.withLock { $0.last } == #"{"products":["new"]}"#)
    }

    @Test("Without a good copy the failure is thrown")
    func nothing() async {
        await #expect(throws: Server.Fault.self) { try await Server().list().products(for: ["coins.100"]) }
        // The server answers "not modified", although the client has not received a list before.
        let server = Server()
        server.answer(.success(nil))
        await #expect(throws: CatalogError.self) { try await server.list().products(for: ["coins.100"]) }
    }
}
