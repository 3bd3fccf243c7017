import Crypto
import FoundationEssentials
import NIOPosix
import Storekeeper
import StorekeeperJWS
import StorekeeperTesting

@testable import StorekeeperAppStore

/// Shared values of the client's tests.
enum Fixture {
    static let bundleID = "com.example.game"
    static let keyID = "ABC123DEFG"
    static let issuerID = "57246542-96fe-1a63-e053-0824d011072a"
    /// The time at which all tests check certificates.
    static let start = Instant.testEpoch

    static func key(_ privateKey: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) throws -> AppStoreKey {
        try AppStoreKey(keyID: keyID, issuerID: issuerID, privateKey: privateKey)
    }

    /// A backoff without noticeable delay.
    static let quick = Backoff(first: .milliseconds(1), longest: .milliseconds(1), jitter: 0, seed: 1)

    /// Returns a limiter without a practical limit.
    static func openLimiter(_ clock: any StoreClock) -> RateLimiter { RateLimiter(clock: clock, burst: 100_000) }

    static func configuration(
        _ lookup: EnvironmentLookup, maximumAttempts: Int = 4, deadline: Duration = .seconds(20)
    ) -> AppStoreServerConfiguration {
        AppStoreServerConfiguration(
            bundleID: bundleID, appAppleID: 1_234, lookup: lookup, deadline: deadline,
            maximumAttempts: maximumAttempts, backoff: quick, failuresBeforePause: 1_000)
    }

    /// Runs a body with a client of one server on this machine.
    static func withClient<Value>(
        environment: AppStore.Environment = .production, attempts: Int = 4, clock: any StoreClock = WallClock(),
        verifier: any TransactionVerifier = TestVerifier(),
        transport settings: AsyncHTTPTransport.Configuration = .init(requestTimeout: .seconds(10)),
        change: (inout AppStoreServerConfiguration) -> Void = { _ in },
        telemetry: ClientTelemetry = ClientTelemetry(),
        serving reply: @escaping @Sendable (LoopbackServer.Request, Int) -> LoopbackServer.Reply,
        _ work: (AppStoreServerClient, LoopbackServer) async throws -> Value
    ) async throws -> Value {
        try await LoopbackServer.serving(reply) { server in
            let host = try AppStoreServerHost(baseURL: server.baseURL, environment: environment)
            var configuration = configuration(.only(host), maximumAttempts: attempts)
            change(&configuration)
            let transport = try AsyncHTTPTransport(settings)
            let client = AppStoreServerClient(
                configuration, key: try key(), verifier: verifier, transport: transport, limiter: openLimiter(clock),
                clock: clock, telemetry: telemetry)
            do {
                let value = try await work(client, server)
                try await transport.close()
                return value
            } catch {
                try await transport.close()
                throw error
            }
        }
    }

    /// Returns the error of a call; `nil` if the call succeeds or throws an error of another type.
    static func failure<Value>(_ call: () async throws -> Value) async -> AppStoreServerError? {
        do {
            _ = try await call()
            return nil
        } catch {
            return error as? AppStoreServerError
        }
    }

    /// Waits until a condition is true, for at most a minute, which a busy machine may need.
    static func wait(until holds: () -> Bool) async {
        let end = ContinuousClock.now.advanced(by: .seconds(60))
        while !holds(), ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(2)) }
    }
}
