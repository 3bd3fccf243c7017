import Storekeeper
import StorekeeperJWS
import Synchronization
import Testing

/// What a checker remembers, for how long, and when it asks again.
struct OCSPMemoryTests {
    @Test func `An answer is used until its end, and not longer`() async throws {
        let trust = try OCSPTrust(.init(policy: .hard))
        #expect(try await trust.verify() == nil)
        trust.responder.conduct = .fails
        // Nobody is asked while the answer may be used.
        for wait in [0, 43_200_000 + 60_000] as [Int64] {
            trust.clock.advance(byMilliseconds: wait)
            #expect(try await trust.verify() == nil)
            #expect(trust.responder.asked == 2)
        }
        trust.clock.advance(byMilliseconds: 1)
        #expect(try await trust.verify() == .revocationUnknown)
        #expect(trust.responder.asked == 4)
    }

    @Test func `An answer that claims to count for ever is renewed all the same`() async throws {
        let trust = try OCSPTrust(.init(policy: .hard, longestUse: .seconds(3_600)), use: .seconds(1_000_000_000))
        #expect(try await trust.verify() == nil)
        trust.clock.advance(byMilliseconds: 3_600_001)
        #expect(try await trust.verify() == nil)
        #expect(trust.responder.asked == 4)
    }

    @Test func `After a failure nobody is asked before the pause is over`() async throws {
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

    @Test func `What was revoked stays so while nobody can be asked, until the issuer takes it back`() async throws {
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

    @Test func `However many ask at once, one question a certificate is under way`() async throws {
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

    @Test func `A responder that hangs is given up in time`() async throws {
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

    @Test func `Whoever is cancelled while asking leaves the question to those who wait`() async throws {
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

    @Test func `Whoever is cancelled while waiting does not wait`() async throws {
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

    @Test func `The memory is bounded, and what was revoked leaves it last`() async throws {
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

    @Test func `A checker that runs learns what verifiers meet, and renews it before it ends`() async throws {
        let trust = try OCSPTrust(.init(policy: .hard))
        let checker = trust.checker
        let jws = try trust.sign()
        let run = Task { await checker.run() }
        #expect(trust.verifier.verify(jws).code == .revocationUnknown)
        while trust.verifier.verify(jws).code != nil { await Task.yield() }
        #expect(trust.responder.asked == 2)
        while checker.isAsking || trust.clock.sleeperCount < 1 { await Task.yield() }
        // At half time, and it was used since.
        trust.clock.advance(byMilliseconds: 21_600_000)
        while trust.responder.asked < 4 || checker.isAsking { await Task.yield() }
        trust.responder.conduct = .fails
        // Beyond the end of the first answer.
        trust.clock.advance(byMilliseconds: 21_700_000)
        #expect(trust.verifier.verify(jws).code == nil)
        run.cancel()
        await run.value
    }

    @Test func `Unasked certificates pass the soft policy, which is reported once`() throws {
        let trust = try OCSPTrust(.init(policy: .soft))
        let jws = try trust.sign()
        for _ in 0..<3 { #expect(trust.verifier.verify(jws).code == nil) }
        #expect(trust.reports.codes == [.notAsked, .notAsked])
    }
}
