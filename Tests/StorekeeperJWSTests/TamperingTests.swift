import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

/// Tests that a modified JWS is never verified.
struct TamperingTests {
    let trust: Trust
    let original: [UInt8]

    init() throws {
        trust = try Trust.shared.get()
        original = Array(try trust.sign().utf8)
        // This puts the chain into the cache, so that every change is tested with a cached chain.
        #expect(trust.verifier.verify(bytes: original).code == nil)
    }

    @Test func `A token with any single bit changed is refused`() throws {
        let everyBit = (PropertySettings.environment.cases ?? 0) >= original.count * 8
        var random = PropertySettings.environment.generator
        let firstDot = try #require(original.firstIndex(of: UInt8(ascii: ".")))
        for position in original.indices {
            // Each changed bit of the header requires a verification of the chain, so by default only some bits of the
            // header are changed.
            let tried = everyBit || position > firstDot ? Array(0..<8) : [Int.random(in: 0..<8, using: &random)]
            for bit in tried where everyBit || position >= firstDot || position.isMultiple(of: 5) {
                var changed = original
                changed[position] ^= 1 << UInt8(bit)
                if trust.verifier.verify(bytes: changed).error == nil {
                    Issue.record("bit \(bit) of byte \(position) can be changed")
                }
            }
        }
    }

    @Test func `A token that is cut or extended anywhere is refused`() {
        for count in stride(from: 1, to: original.count, by: 37) {
            #expect(trust.verifier.verify(bytes: original[..<count]).code != nil)
            #expect(trust.verifier.verify(bytes: original[..<count] + original).code != nil)
        }
        for extra in original.suffix(90).indices {
            #expect(trust.verifier.verify(bytes: original + original[extra...]).code != nil)
        }
    }

    @Test func `Random mutations never crash and are never verified`() throws {
        let others = try EvidenceKind.allCases.map { Array(try trust.sign(Sample.payload($0)).utf8) }
        let known = Set(others + [original])
        let dot = UInt8(ascii: ".")
        let mutator = ByteMutator(samples: others, tokens: [[dot]], longestPiece: 300)
        checkProperty(
            "a mutated token is verified only if it is unchanged", cases: 10_000,
            generate: { random in
                var token = random.element(of: others) ?? original
                for _ in 0..<random.number(in: 1...4) {
                    if random.chance(10) {
                        token = mixed(others, &random)
                    } else {
                        // Half of the mutations change only bytes after the header, so that not every mutation makes a
                        // certificate invalid.
                        let start = random.chance(50) ? 0 : token.firstIndex(of: dot) ?? 0
                        mutator.damage(&token, from: start, &random)
                    }
                }
                return token
            },
            describe: { String(decoding: $0, as: UTF8.self) },
            holds: { known.contains($0) || trust.verifier.verify(bytes: $0).error != nil })
    }

    /// Returns a JWS with segments from several JWS.
    private func mixed(_ tokens: [[UInt8]], _ random: inout SplitMix64) -> [UInt8] {
        let parts = (0..<3).map { index -> ArraySlice<UInt8> in
            let token = random.element(of: tokens) ?? original
            let segments = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            return index < segments.count ? segments[index] : []
        }
        return Array(parts.joined(separator: [UInt8(ascii: ".")]))
    }

    @Test func `Random signed payloads never crash`() throws {
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "d800", "1e9", "-", "null", "true", "transactionId",
            "\"signedDate\"",
            "1772358600000", "\"type\"", "\u{FF}", "\n", "\"originalTransactionId\":\"1\"", "\"autoRenewStatus\":",
            "data",
        ].map { Array($0.utf8) }
        let samples = EvidenceKind.allCases.map { Sample.payload($0) }
        let mutator = ByteMutator(samples: samples, tokens: pieces, longestPiece: 12)
        var random = PropertySettings.environment.generator
        var codes: [VerificationError.Code?: Int] = [:]
        for _ in 0..<PropertySettings.environment.count(of: 3_000) {
            let code = trust.verifier.verify(try trust.sign(mutator.mutant(&random))).code
            codes[code, default: 0] += 1
        }
        // Mutated payloads are signed again, so the signatures are valid. Some payloads are malformed, and some are as
        // valid as the sample.
        #expect(codes[.invalidSignature] == nil)
        #expect(codes[.malformed, default: 0] > 0 && codes[nil, default: 0] > 0, "\(codes)")
    }
}
