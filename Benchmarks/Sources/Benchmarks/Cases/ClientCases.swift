import AsyncHTTPClient
import Crypto
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS

/// The cost of a call of the App Store client, compared with the bare request that it makes.
struct ClientCases {
    private let signed: SignedItems
    private let verifier: JWSVerifier
    private let body: [UInt8]

    init() throws {
        signed = try SignedItems(count: 20)
        verifier = JWSVerifier(signed.configuration)
        let list = signed.texts.map { "\"\($0)\"" }.joined(separator: ",")
        body = Array(
            """
            {"revision":"1","hasMore":false,"bundleId":"com.example.game","environment":"Production",\
            "signedTransactions":[\(list)]}
            """.utf8)
    }

    /// Sequential requests over one connection to a server in this process.
    func group() -> BenchmarkGroup {
        let bareName = "a bare request"
        return BenchmarkGroup(
            title: "A page of 20 transactions over HTTP on one machine (per call, time on the wall)",
            cases: [
                BenchmarkCase(name: bareName, operations: 200, targets: []) { calls in
                    try await serving { url in
                        var request = HTTPClientRequest(url: url + "/inApps/v2/history/1")
                        request.headers.add(name: "authorization", value: "Bearer token")
                        for _ in 0..<(calls * 200) {
                            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
                            let body = try await response.body.collect(upTo: 1 << 20)
                            guard body.readableBytes == self.body.count else {
                                throw BenchmarkError("a body was cut off")
                            }
                        }
                    }
                },
                BenchmarkCase(
                    name: "a call of the client", operations: 200, targets: [.comparedTime(of: bareName)]
                ) { calls in
                    let transport = try AsyncHTTPTransport()
                    let result: Result<Double, any Error>
                    do {
                        result = .success(
                            try await serving { url in
                                let client = try client(of: url, transport)
                                for _ in 0..<(calls * 200) {
                                    let page = try await client.history(of: "1", in: .production)
                                    guard page.signedTransactions.count == 20 else {
                                        throw BenchmarkError("a page was cut off")
                                    }
                                }
                            })
                    } catch { result = .failure(error) }
                    try await transport.close()
                    return try result.get()
                },
            ],
            rounds: 9)
    }

    private func client(of url: String, _ transport: any HTTPTransport) throws -> AppStoreServerClient {
        AppStoreServerClient(
            AppStoreServerConfiguration(
                bundleID: "com.example.game",
                lookup: .only(try AppStoreServerHost(baseURL: url, environment: .production))),
            key: try AppStoreKey(keyID: "K", issuerID: "I", privateKey: P256.Signing.PrivateKey()),
            verifier: verifier, transport: transport)
    }

    /// Serves the page while work runs, and returns the duration of the work.
    private func serving(_ work: @escaping (String) async throws -> Void) async throws -> Double {
        let (ports, running) = AsyncStream.makeStream(of: Int.self)
        let router = Router()
        let body = ByteBuffer(bytes: body)
        router.get("inApps/v2/history/1") { _, _ in
            Response(status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: body))
        }
        let server = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { running.yield($0.localAddress?.port ?? 0) }, logger: Self.quiet)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { running.finish() }
                try await server.run()
            }
            var seconds = 0.0
            for await port in ports.prefix(1) {
                let start = Stopwatch.wallTime.seconds
                try await work("http://127.0.0.1:\(port)")
                seconds = Stopwatch.wallTime.seconds - start
            }
            group.cancelAll()
            return seconds
        }
    }

    private static let quiet = Logger(label: "benchmarks", factory: { _ in SwiftLogNoOpLogHandler() })
}
