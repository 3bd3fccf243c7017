import Storekeeper
import StorekeeperJWS
import Synchronization
import Testing

/// Tests of the cache of a revocation checker: of its answers, of their lifetime, and of when it asks again.
struct OCSPMemoryTests {
    @Test func `An answer is used until its end, and not longer`() async throws {
        let trust = try OCSPTrust(.init(policy: .hard))
        #expect(try await trust.verify() == nil)
        trust.responder.conduct = .fails
        // The answer is still valid at these times, so the responder, which now fails, is not needed.
        for wait in [0, 43_200_000 + 60_000] as [Int64] {
            trust.clock.advance(byMilliseconds: wait)
            #expect(try await trust.verify() == nil)
            #expect(trust.responder.asked == 2)
        }
        trust.clock.advance(byMilliseconds: 1)
        #expect(try await trust.verify() == .revocationUnknown)
        #expect(trust.responder.asked == 4)
    }

    @Test func `An answer without a practical end is renewed after the configured limit`() async throws {
        let trust = try OCSPTrust(.init(policy: .hard, longestUse: .seconds(3_600)), use: .seconds(1_000_000_000))
        #expect(try await trust.verify() == nil)
        trust.clock.advance(byMilliseconds: 3_600_001)
        #expect(try await trust.verify() == nil)
        #expect(trust.responder.asked == 4)
    }

    @Test func `After a failure no responder is asked before the pause is over`() async throws {
        let trust = try OCSPTrust(.init(policy: .hard))
        trust.responder.conduct = .fails
        #expect(try await trust.verify() == .revocationUnknown)
        trust.responder.conduct = .answers(.init(), .good)
        trust.clock.advance(byMilliseconds: 59_999)
        #expect(try await trust.verify() == .revocationUnknown)
        #expect(trust.responder.asked == 2)
        trust.clock.advance(byMilliseconds: 1)
        #expect(try await trust.verify() == nil)
        #expect(trust.responder.asked == 4)
    }

    @Test func `A revocation stays known while responders fail, until the issuer withdraws it`() async throws {
        let trust = try OCSPTrust(.init(policy: .soft))
        trust.responder.conduct = .answers(.init(), .revoked(at: Sample.signedAt, reason: 6))
        #expect(try await trust.verify() == .certificateRevoked)
        trust.responder.conduct = .fails
        trust.clock.advance(byMilliseconds: 40 * 86_400_000)
        #expect(try await trust.verify() == .certificateRevoked)
        trust.responder.conduct = .answers(.init(), .good)
        trust.clock.advance(byMilliseconds: 60_000)
        #expect(try await trust.verify() == nil)
    }

    @Test func `An older answer does not replace a newer one`() async throws {
        let trust = try OCSPTrust(.init(policy: .hard))
        trust.responder.conduct = .answers(.init(), .revoked(at: Sample.signedAt, reason: 1))
        #expect(try await trust.verify() == .certificateRevoked)
        var replayed = LocalAuthority.ResponseForm()
        replayed.age = 43_200_000
        trust.responder.conduct = .answers(replayed, .good)
        trust.clock.advance(byMilliseconds: 43_100_000)
        #expect(try await trust.verify() == .certificateRevoked)
        #expect(Set(trust.reports.codes) == [.stale])
    }

    @Test func `Concurrent callers share one request per certificate`() async throws {
        let trust = try OCSPTrust(.init(policy: .hard))
        let jws = try trust.sign()
        let verifier = trust.verifier
        await withTaskGroup(of: VerificationError.Code?.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    await verifier.learnRevocation(of: [jws])
                    return verifier.verify(jws).code
                }
            }
            for await code in group { #expect(code == nil) }
        }
        #expect(trust.responder.asked == 2)
    }

    @Test func `A request to a hanging responder ends at the time limit`() async throws {
        let trust = try OCSPTrust(.init(policy: .hard, timeLimit: .seconds(10)))
        trust.responder.conduct = .hangs
        let jws = try trust.sign()
        let (verifier, clock) = (trust.verifier, trust.clock)
        async let code = {
            await verifier.learnRevocation(of: [jws])
            return verifier.verify(jws).code
        }()
        while clock.sleeperCount < 2 { await Task.yield() }
        clock.advance(byMilliseconds: 10_000)
        #expect(await code == .revocationUnknown)
        #expect(trust.reports.codes == [.timedOut, .timedOut])
    }

    @Test func `A caller that is cancelled during a request leaves it to the waiting callers`() async throws {
        let trust = try OCSPTrust(.init(policy: .hard))
        trust.responder.conduct = .hangs
        let jws = try trust.sign()
        let (verifier, responder) = (trust.verifier, trust.responder)
        let first = Task { await verifier.learnRevocation(of: [jws]) }
        while responder.asked < 2 { await Task.yield() }
        let second = Task {
            await verifier.learnRevocation(of: [jws])
            return verifier.verify(jws).code
        }
        for _ in 0..<100 { await Task.yield() }
        responder.conduct = .answers(.init(), .good)
        first.cancel()
        await first.value
        #expect(await second.value == nil)
        #expect(trust.reports.codes.isEmpty)
    }

    @Test func `A caller that is cancelled while waiting stops waiting`() async throws {
        let trust = try OCSPTrust(.init(policy: .hard))
        trust.responder.conduct = .hangs
        let jws = try trust.sign()
        let (verifier, responder) = (trust.verifier, trust.responder)
        let first = Task { await verifier.learnRevocation(of: [jws]) }
        while responder.asked < 2 { await Task.yield() }
        let second = Task { await verifier.learnRevocation(of: [jws]) }
        for _ in 0..<100 { await Task.yield() }
        second.cancel()
        await second.value
        #expect(responder.asked == 2)
        first.cancel()
        await first.value
    }

    @Test func `The cache is bounded, and revocations are removed last`() async throws {
        let trust = try OCSPTrust(.init(policy: .soft, capacity: 8))
        trust.responder.conduct = .answers(.init(), .revoked(at: Sample.signedAt, reason: 1))
        #expect(try await trust.verify() == .certificateRevoked)
        trust.responder.conduct = .answers(.init(), .good)
        for _ in 0..<30 {
            let jws = try trust.authority.makeSigner().sign(payload: Sample.transaction())
            await trust.verifier.learnRevocation(of: [jws])
        }
        #expect(trust.checker.count <= 8)
        trust.responder.conduct = .fails
        #expect(trust.verifier.verify(try trust.sign()).code == .certificateRevoked)
    }

    @Test func `A running checker asks about certificates that verifiers checkEnd, and renews answers before they end`()
        async throws
    {
        let trust = try OCSPTrust(.init(policy: .hard))
        let checker = trust.checker
        let jws = try trust.sign()
        let run = Task { await checker.run() }
        #expect(trust.verifier.verify(jws).code == .revocationUnknown)
        while trust.verifier.verify(jws).code != nil { await Task.yield() }
        #expect(trust.responder.asked == 2)
        while checker.isAsking || trust.clock.sleeperCount < 1 { await Task.yield() }
        // The checker asks again at half of the lifetime, because the answer was used since.
        trust.clock.advance(byMilliseconds: 21_600_000)
        while trust.responder.asked < 4 || checker.isAsking { await Task.yield() }
        trust.responder.conduct = .fails
        // The time is now after the end of the first answer.
        trust.clock.advance(byMilliseconds: 21_700_000)
        #expect(trust.verifier.verify(jws).code == nil)
        run.cancel()
        await run.value
    }

    @Test func `Certificates that were not checked pass the soft policy, which is reported once`() throws {
        let trust = try OCSPTrust(.init(policy: .soft))
        let jws = try trust.sign()
        for _ in 0..<3 { #expect(trust.verifier.verify(jws).code == nil) }
        #expect(trust.reports.codes == [.notAsked, .notAsked])
    }
}
