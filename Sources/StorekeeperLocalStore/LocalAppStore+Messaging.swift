import FoundationEssentials
import Storekeeper
import StorekeeperSimulator

extension LocalAppStore {
    /// Asks an app's server for a retention message, as the App Store does when a customer opens the page to cancel a
    /// subscription.
    ///
    /// - Throws: Errors of the cryptographic library.
    func ask(_ question: RealtimeQuestion, of app: String, at url: String) async throws -> RealtimeReply {
        let served = current
        let payload = try served.store.signed([
            "originalTransactionId": .text(question.originalID),
            "appAppleId": .integer(served.apps[app]?.appleID ?? 0), "productId": .text(question.product),
            "userLocale": .string(question.locale), "requestIdentifier": .string(UUID().uuidString.lowercased()),
            "signedDate": .integer(served.store.now.millisecondsSince1970),
            "environment": .string(served.scenario.environment.rawValue),
        ])
        let body = JSONText.object(["signedPayload": .string(payload)]).bytes()
        let start = ContinuousClock.now
        let answer = await configuration.realtime?.send(body, to: url) ?? (result: .noResponse, body: [])
        let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        guard answer.result == .success else {
            return RealtimeReply(result: answer.result, milliseconds: milliseconds, response: nil)
        }
        let response = (try? JSONReader(maximumDepth: 16, maximumSize: 1 << 20).read(answer.body))?.root
        return RealtimeReply(
            result: response?.object == nil ? .invalidResponse : .success, milliseconds: milliseconds,
            response: response)
    }

    /// Carries out a performance test of an app's server.
    ///
    /// - Throws: Errors of the cryptographic library.
    func run(_ test: PerformanceRun, of app: String, in messages: RetentionMessages) async throws {
        try await withThrowingTaskGroup(of: RealtimeReply.self) { group in
            func add() { group.addTask { try await self.ask(test.request, of: app, at: test.target) } }
            for _ in 0..<PerformanceRun.concurrency { add() }
            var begun = PerformanceRun.concurrency
            while let reply = try await group.next() {
                try messages.change(app) { state throws(APIError) in
                    guard let index = state.tests.firstIndex(where: { $0.id == test.id }) else { return }
                    state.tests[index].results.append(reply)
                }
                guard begun < PerformanceRun.requests else { continue }
                begun += 1
                add()
            }
        }
    }
}
