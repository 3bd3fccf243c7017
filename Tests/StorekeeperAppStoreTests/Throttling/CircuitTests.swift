import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperAppStore

@Suite("The circuit breaker") struct CircuitTests {
    static let rule = CircuitState.Rule(failures: 3, pause: 1_000)

    enum Event: Sendable { case ask, succeed(Int), fail(Int), abandon(Int), wait(Int64) }

    @Test("While the circuit is open nothing is sent, and one request at a time tries it") func laws() {
        checkProperty(
            "nothing is sent while the circuit is open, and one request at a time tries it",
            generate: { random in
                (0..<60).map { _ -> Event in
                    let index = Int.random(in: 0..<8, using: &random)
                    return switch Int.random(in: 0..<5, using: &random) {
                    case 0: .ask
                    case 1: .succeed(index)
                    case 2: .fail(index)
                    case 3: .abandon(index)
                    default: .wait(Int64.random(in: 0...1_500, using: &random))
                    }
                }
            },
            shrink: { events in
                events.indices.map { index in
                    var fewer = events
                    fewer.remove(at: index)
                    return fewer
                }
            }
        ) { events in
            var state = CircuitState(Self.rule)
            var now = Instant.testEpoch
            var underWay: [Int] = []
            var refusedUntil: Instant?
            for event in events {
                switch event {
                case .ask:
                    switch state.admit(at: now) {
                    case .admitted(let phase):
                        if let until = refusedUntil, now < until, !state.isClosed { return false }
                        underWay.append(phase)
                        refusedUntil = nil
                    case .refused(let until):
                        // A refusal ends after the current time, and at most one pause later.
                        if until <= now || until.milliseconds(since: now) > Self.rule.pause { return false }
                        refusedUntil = until
                    }
                case .wait(let milliseconds): now = now.adding(milliseconds: milliseconds)
                case .succeed(let index) where underWay.indices.contains(index):
                    state.succeed(phase: underWay.remove(at: index))
                    refusedUntil = nil
                case .fail(let index) where underWay.indices.contains(index):
                    state.fail(phase: underWay.remove(at: index), at: now)
                    refusedUntil = nil
                case .abandon(let index) where underWay.indices.contains(index):
                    state.abandon(phase: underWay.remove(at: index), at: now)
                    refusedUntil = nil
                default: break
                }
            }
            // In every state, a request is admitted after a pause.
            guard case .admitted = state.admit(at: now.adding(milliseconds: Self.rule.pause)) else { return false }
            return true
        }
    }

    @Test("After several failures in a row nothing is sent, then one request as a trial") func steps() {
        var state = CircuitState(Self.rule)
        let now = Instant.testEpoch
        func admit(_ after: Int64) -> CircuitState.Admission { state.admit(at: now.adding(milliseconds: after)) }
        for _ in 0..<2 { state.fail(phase: 0, at: now) }
        state.succeed(phase: 0)
        for _ in 0..<2 { state.fail(phase: 0, at: now) }
        #expect(admit(0) == .admitted(phase: 0))
        state.fail(phase: 0, at: now)
        #expect(admit(999) == .refused(until: now.adding(milliseconds: 1_000)))
        guard case .admitted(let trial) = admit(1_000) else { return #expect(Bool(false), "no trial") }
        #expect(admit(1_001) == .refused(until: now.adding(milliseconds: 2_000)))
        // The late answer to a request of an earlier phase has no effect.
        state.succeed(phase: 0)
        #expect(!state.isClosed)
        state.succeed(phase: trial)
        #expect(state.isClosed)
    }

    @Test("A failed trial opens the circuit again, and an abandoned one leaves the trial to the next request")
    func trials() {
        var state = CircuitState(CircuitState.Rule(failures: 1, pause: 1_000))
        let now = Instant.testEpoch
        state.fail(phase: 0, at: now)
        let later = now.adding(milliseconds: 1_000)
        guard case .admitted(let first) = state.admit(at: later) else { return #expect(Bool(false), "no trial") }
        state.fail(phase: first, at: later)
        #expect(state.admit(at: later) == .refused(until: later.adding(milliseconds: 1_000)))
        let latest = later.adding(milliseconds: 1_000)
        guard case .admitted(let second) = state.admit(at: latest) else { return #expect(Bool(false), "no trial") }
        state.abandon(phase: second, at: latest)
        guard case .admitted = state.admit(at: latest) else { return #expect(Bool(false), "no trial") }
    }

    @Test("A client stops sending to a failing server, and resumes after the pause") func client() async throws {
        let clock = VirtualClock(.testEpoch)
        try await Fixture.withClient(
            attempts: 1, clock: clock,
            change: {
                $0.failuresBeforePause = 3
                $0.pause = .seconds(30)
            },
            serving: { _, count in count < 3 ? .answer(503) : .json(WireFaultTests.page) }
        ) { client, server in
            for _ in 0..<3 {
                #expect(await Fixture.failure { try await client.history(of: "1") }?.code == .serverFailure)
            }
            let error = await Fixture.failure { try await client.history(of: "1") }
            #expect(error?.code == .suspended)
            #expect(error?.retryAt == clock.now.advanced(by: .seconds(30)))
            #expect(server.requests.count == 3)
            clock.advance(by: .seconds(30))
            let page = try await client.history(of: "1")
            #expect(page.revision == "r")
        }
    }

    @Test("A refusal by the App Store does not count as a failure of the server") func refusals() async throws {
        try await Fixture.withClient(
            attempts: 1, change: { $0.failuresBeforePause = 1 }, serving: { _, _ in .error(4_040_010) }
        ) { client, server in
            for _ in 0..<5 { _ = await Fixture.failure { try await client.history(of: "1") } }
            #expect(server.requests.count == 5)
        }
    }
}
