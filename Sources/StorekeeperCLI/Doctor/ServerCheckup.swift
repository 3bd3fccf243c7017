import Storekeeper
import StorekeeperAppStore

/// Checks that the App Store can be reached, accepts the key, and can reach the app's server.
struct ServerCheckup {
    /// The servers to check.
    let hosts: [AppStoreServerHost]
    /// The client with the key; `nil` without a key or an app.
    ///
    /// Other findings report the missing key or app.
    let client: AppStoreServerClient?
    /// A client for the sandbox; `nil` for a custom server.
    ///
    /// Apple's production server refuses every token for an app that was never released.
    var sandbox: AppStoreServerClient?
    let transport: any HTTPTransport
    let clock: any StoreClock
    /// Whether the checks include a test notification.
    let sendsTestNotification: Bool

    /// Makes the checks of each environment in order, and reports each finding immediately.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func run(_ note: (Finding) -> Void) async throws {
        for host in hosts {
            let environment = host.environment
            let reached = try await reach(host)
            for finding in reached.findings { note(finding) }
            guard reached.exists, let client else { continue }
            let token = try await token(environment, client)
            note(token)
            guard token.verdict == .ok else { continue }
            guard sendsTestNotification else { continue }
            note(try await testNotification(environment, client))
        }
    }

    // MARK: Reaching the server

    private func reach(
        _ host: AppStoreServerHost
    ) async throws -> (findings: [Finding], exists: Bool) {
        let base = host.baseURL
        let response: TransportResponse
        do throws(TransportError) {
            // The request has no token, because any status proves that the server responds.
            response = try await transport.send(
                TransportRequest(
                    method: .get, url: base + "/inApps/v1/notifications/test/0", fields: [], body: nil))
        } catch {
            try Task.checkCancellation()
            return (
                [.failure("server", "\(base) cannot be reached: \(error.message)", error.remedy)], false
            )
        }
        var findings = [Finding.ok("server", "\(host.environment.rawValue) answers at \(base)")]
        if let served = response.value(of: "Date").flatMap(ClockCheckup.instant(httpDate:)) {
            findings.append(ClockCheckup.finding(now: clock.now, served: served))
        }
        return (findings, true)
    }

    // MARK: The token

    private func token(
        _ environment: AppStore.Environment, _ client: AppStoreServerClient
    ) async throws -> Finding {
        do {
            // A test with this id was never requested, so a server that accepts the key responds with "not found".
            _ = try await client.testNotificationStatus(Self.inventedTest, in: environment)
        } catch let error as AppStoreServerError {
            var isAcceptedInSandbox = false
            if error.code == .unauthorized, environment == .production, let sandbox {
                isAcceptedInSandbox = try await Self.accepts(sandbox) == true
            }
            return Self.verdict(
                onToken: error, of: client.configuration.bundleID, in: environment,
                isAcceptedInSandbox: isAcceptedInSandbox)
        }
        return .ok("token", "\(environment.rawValue) accepts the key")
    }

    /// Returns whether the sandbox accepts a key that the production server refuses; `nil` if the sandbox does not tell.
    ///
    /// - Throws: `CancellationError`.
    static func accepts(_ sandbox: AppStoreServerClient) async throws -> Bool? {
        do {
            _ = try await sandbox.send(.testNotificationStatus(inventedTest))
            return true
        } catch let error as AppStoreServerError {
            guard [.refused, .unauthorized].contains(error.code) else { return nil }
            return verdict(onToken: error, of: sandbox.configuration.bundleID, in: .sandbox).verdict == .ok
        }
    }

    /// The id of a test notification that was never requested.
    private static let inventedTest = "00000000-0000-0000-0000-000000000000_0000000000000"

    /// Returns the finding and the remedy for an app whose key only the sandbox accepts.
    static func unreleased(_ bundleID: String) -> (what: String, remedy: String) {
        (
            "Production refuses the key, and the sandbox accepts it: the key is valid, but the app '\(bundleID)' is not "
                + "released yet", "use --environment Sandbox until the first release"
        )
    }

    /// Returns the finding about the authorization token, based on the server's error for a request with this token.
    ///
    /// - Parameter isAcceptedInSandbox: Whether the sandbox accepts the key that production refuses.
    static func verdict(
        onToken error: AppStoreServerError, of bundleID: String, in environment: AppStore.Environment,
        isAcceptedInSandbox: Bool = false
    ) -> Finding {
        switch (error.code, error.apiCode) {
        case (.refused, .appNotFound?), (.refused, .appNotFoundRetryable?):
            .failure(
                "token", "\(environment.rawValue) accepts the key but does not know the app '\(bundleID)'",
                "check --bundle-id, and that the key is of the same team")
        case (.refused, _): .ok("token", "\(environment.rawValue) accepts the key")
        case (.unauthorized, _) where isAcceptedInSandbox:
            .warning("token", unreleased(bundleID).what, unreleased(bundleID).remedy)
        case (.unauthorized, _):
            .failure(
                "token", "\(environment.rawValue) refuses the key",
                "check --key-id, --issuer-id and --bundle-id; a new key works after a few minutes; one that "
                    + "was revoked does not work")
        default: .failure("token", error.message, "try again later")
        }
    }

    // MARK: A notification

    private func testNotification(
        _ environment: AppStore.Environment, _ client: AppStoreServerClient
    ) async throws -> Finding {
        do {
            let token = try await client.requestTestNotification(in: environment)
            let begun = clock.now
            while clock.now < begun.adding(milliseconds: 30_000) {
                try await clock.sleep(until: clock.now.adding(milliseconds: 500))
                let status: (notification: ServerNotification, sendAttempts: [SendAttempt])
                do { status = try await client.testNotificationStatus(token, in: environment) } catch let error
                    as AppStoreServerError where error.apiCode == .testNotificationNotFound
                {
                    continue
                }
                if let attempt = status.sendAttempts.first { return Self.verdict(on: attempt.result) }
            }
            return .warning(
                "notifications", "the App Store sent a test notification but does not report the result",
                "run it again in a minute")
        } catch let error as AppStoreServerError {
            return Self.verdict(onTest: error)
        }
    }

    /// Returns the finding about a refusal to send a test notification.
    static func verdict(onTest error: AppStoreServerError) -> Finding {
        switch (error.code, error.apiCode) {
        case (.refused, .serverNotificationURLNotFound?):
            .warning(
                "notifications", "no URL for notifications is set in App Store Connect",
                "set one under App Information, App Store Server Notifications, version 2")
        case (.unverifiedResponse, _):
            .failure("notifications", error.message, "check --root, --bundle-id and --app-apple-id")
        default: .failure("notifications", error.message, "try again later")
        }
    }

    /// Returns the finding about the delivery of a test notification.
    static func verdict(on result: SendAttemptResult) -> Finding {
        let remedy: String
        switch result {
        case .success: return .ok("notifications", "a test notification was delivered")
        case .tlsIssue: remedy = "renew the certificate of your server, with its whole chain, for TLS 1.2 or later"
        case .timedOut, .noResponse: remedy = "make your server answer at once, and allow connections from 17.0.0.0/8"
        case .circularRedirect:
            remedy = "set the URL in App Store Connect to one that answers without redirects"
        case .unsuccessfulStatus: remedy = "make your server answer 200 when the notification is stored; see its log"
        default: remedy = "see your server's log at this time"
        }
        return .failure("notifications", "delivery to your server failed: \(result.rawValue)", remedy)
    }
}
