import Storekeeper
import Testing

@testable import StorekeeperJWS

/// Tests of the cache of certificate chains, and of concurrent verification.
struct ChainCacheTests {
    @Test func `The cache is bounded and drops the least recently used chain`() throws {
        let trust = try Trust()
        var tokens: [String] = []
        for number in 0..<ChainCache.capacity + 10 {
            tokens.append(try trust.sign(header: #"{"alg":"ES256","kid":"\#(number)","x5c":X5C}"#))
            #expect(trust.verifier.verify(tokens[number]).code == nil)
            // The first chain is used repeatedly, so it stays in the cache.
            #expect(trust.verifier.verify(tokens[0]).code == nil)
        }
        #expect(trust.verifier.cache.count == ChainCache.capacity)
        func isKnown(_ token: String) -> Bool {
            CompactJWS(token).map { trust.verifier.cache.chain(for: $0.header) != nil } ?? false
        }
        #expect(isKnown(tokens[0]))
        #expect(!isKnown(tokens[1]))
        #expect(isKnown(tokens[ChainCache.capacity]))
        #expect(trust.verifier.verify(tokens[1]).code == nil)
    }

    @Test func `Only chains that signed an item are kept`() throws {
        let trust = try Trust()
        var segments = Segments(try trust.sign())
        segments.signature = Base64URL.encode([UInt8](repeating: 1, count: 64))
        #expect(trust.verifier.verify(segments.jws).code == .invalidSignature)
        #expect(try trust.verifier.verify(Trust.shared.get().sign()).code == .untrustedChain)
        #expect(trust.verifier.cache.count == 0)
        // The app and customer of an item do not affect its chain.
        #expect(
            trust.verifier.verify(try trust.sign(Sample.transaction(["bundleId": #""other""#]))).code == .bundleMismatch
        )
        #expect(trust.verifier.cache.count == 1)
    }

    @Test func `Facts under one chain share the bytes of their header`() throws {
        let trust = try Trust()
        let first = try trust.verifier.transaction(trust.sign()).payloadValue.source.jws
        let second = try trust.verifier.transaction(trust.sign()).payloadValue.source.jws
        #expect(first?.header === second?.header)
    }

    @Test func `A verifier gives concurrent tasks the same results as single ones`() async throws {
        let trust = try Trust()
        let signers = (0..<4).map { _ in trust.authority.makeSigner() }
        var tokens: [(String, VerificationError.Code?)] = []
        for number in 0..<60 {
            let jws = try signers[number % 4].sign(payload: Sample.transaction(["transactionId": "\"\(number)\""]))
            tokens.append((jws, nil))
            tokens.append((String(jws.dropLast(4)) + "AAAA", .invalidSignature))
        }
        let expected = tokens
        await withTaskGroup(of: Bool.self) { group in
            for offset in 0..<8 {
                group.addTask {
                    expected.indices.allSatisfy { index in
                        let (jws, code) = expected[(index + offset * 13) % expected.count]
                        return trust.verifier.verify(jws).code == code
                    }
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        #expect(trust.verifier.cache.count == 4)
    }

    @Test("A batch keeps the order of its items", arguments: [0, 1, 31, 32, 33, 500])
    func batch(count: Int) async throws {
        let trust = try Trust()
        let signers = [trust.authority.makeSigner(), trust.authority.makeSigner()]
        var items: [CompactJWS] = []
        for number in 0..<count {
            var jws = try signers[number % 2].sign(payload: Sample.transaction(["transactionId": "\"\(number)\""]))
            if number % 7 == 3 { jws = String(jws.dropLast(4)) + "AAAA" }
            items.append(try #require(CompactJWS(jws)))
        }
        let results = await trust.verifier.verifyBatch(items)
        #expect(results.count == count)
        for (number, result) in results.enumerated() {
            guard case .transaction(let result) = result else {
                Issue.record("item \(number) is not a transaction")
                continue
            }
            #expect(result.unsafePayloadValue.id.rawValue == "\(number)")
            #expect(result.error?.code == (number % 7 == 3 ? .invalidSignature : nil))
        }
    }

    @Test func `A cancelled batch ends`() async throws {
        let trust = try Trust()
        let items = [CompactJWS](repeating: try #require(CompactJWS(try trust.sign())), count: 200)
        let task = Task { await trust.verifier.verifyBatch(items).count }
        task.cancel()
        #expect(await task.value == 200)
    }
}
