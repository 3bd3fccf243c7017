import HTTPTypes
import Storekeeper
import StorekeeperJWS
import StorekeeperSimulator
import Synchronization
import Testing

@testable import StorekeeperCompanion

@Suite("A service whose revocation checker cannot reach its responders") struct CompanionRevocationTests {
    /// A checker that knows the status of certificates only after it has learned it.
    private final class Checker: RevocationChecker {
        private struct State {
            var isReachable = false
            var known: Set<SigningChain> = []
        }

        private let state = Mutex(State())

        func makeReachable() { state.withLock { $0.isReachable = true } }

        func status(of chain: SigningChain, at: Instant) -> RevocationStatus {
            state.withLock { $0.known.contains(chain) ? .good : .unknown }
        }

        func learn(_ chain: SigningChain) async {
            state.withLock { state in
                if state.isReachable { state.known.insert(chain) }
            }
        }
    }

    private func expectRetry(_ answer: CompanionShop.Answer) {
        #expect(answer.status == 503 && answer.problem == "revocationUnknown", "\(answer.text)")
        #expect(answer.fields[.retryAfter].flatMap(Int.init) ?? 0 > 0)
        #expect(!answer.text.contains("vault"), "\(answer.text)")
    }

    @Test("Genuine purchases and notifications are not refused, but wanted again, and count once they are checked")
    func again() async throws {
        let checker = Checker()
        let shop = try await CompanionShop(believes: { $0.revocation = checker })
        try await shop.step("buy gold.monthly by anna")
        let texts = try shop.served.store.evidence(of: "anna")
        let body = JSONText.object(["transactions": .array(texts.map(JSONText.string))]).text()
        func send() async throws -> CompanionShop.Answer {
            try await shop.ask("POST", "/v1/customers/anna/transactions", as: .spend, body: body)
        }
        expectRetry(try await send())
        expectRetry(try await shop.post())
        // A forgery among them does not hide that the others may be genuine.
        let mixed = JSONText.object(["transactions": .array((["a.b.c"] + texts).map(JSONText.string))]).text()
        expectRetry(try await shop.ask("POST", "/v1/customers/anna/transactions", as: .spend, body: mixed))

        checker.makeReachable()
        let taken = try await send()
        #expect(taken.status == 200 && taken.document?["new"]?.int64 ?? 0 > 0, "\(taken.text)")
        #expect(try await shop.post().status == 200)
    }
}
