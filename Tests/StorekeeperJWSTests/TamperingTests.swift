import Storekeeper
import StorekeeperJWS
import Testing

/// Whatever is done to a token, only the token itself is believed.
struct TamperingTests {
    let trust: Trust
    let original: [UInt8]

    init() throws {
        trust = try Trust.shared.get()
        original = Array(try trust.sign().utf8)
        // The chain is known, so that every change meets the quick way.
        #expect(trust.verifier.verify(bytes: original).code == nil)
    }

    @Test func `A token with any single bit changed is refused`() throws {
        let everyBit = Seed.cases(0) >= original.count * 8
        var random = Seed.generator("single bits")
        let firstDot = try #require(original.firstIndex(of: UInt8(ascii: ".")))
        for position in original.indices {
            // The header's bits cost a chain each: of them a part is tried, unless everything is asked for.
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

    @Test func `A token cut or extended anywhere is refused`() {
        for count in stride(from: 1, to: original.count, by: 37) {
            #expect(trust.verifier.verify(bytes: original[..<count]).code != nil)
            #expect(trust.verifier.verify(bytes: original[..<count] + original).code != nil)
        }
        for extra in original.suffix(90).indices {
            #expect(trust.verifier.verify(bytes: original + original[extra...]).code != nil)
        }
    }

    @Test func `Random mutations never crash and are never believed`() throws {
        var random = Seed.generator("mutations")
        let others = try EvidenceKind.allCases.map { Array(try trust.sign(Sample.payload($0)).utf8) }
        let known = Set(others + [original])
        for number in 0..<Seed.cases(10_000) {
            var token = others.randomElement(using: &random) ?? original
            for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&token, others, using: &random) }
            if trust.verifier.verify(bytes: token).error == nil, !known.contains(token) {
                Issue.record("mutation \(number) is believed")
            }
        }
    }

    private func mutate(_ token: inout [UInt8], _ others: [[UInt8]], using random: inout SplitMix64) {
        guard !token.isEmpty else { return }
        // Mostly behind the header, where a mutation is not just another broken certificate.
        let dot = token.firstIndex(of: UInt8(ascii: ".")) ?? 0
        let low = Bool.random(using: &random) || dot >= token.count ? 0 : dot
        let position = Int.random(in: low..<token.count, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: token[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: token[position] = UInt8.random(in: 0...255, using: &random)
        case 2: token.remove(at: position)
        case 3: token.insert(UInt8.random(in: 32..<127, using: &random), at: position)
        case 4: token.insert(UInt8(ascii: "."), at: position)
        case 5: token.removeSubrange(position..<min(token.count, position + Int.random(in: 1...300, using: &random)))
        case 6:
            let other = others.randomElement(using: &random) ?? token
            token.replaceSubrange(position..., with: other[min(position, other.count)...])
        default:
            // Segments of several tokens put together.
            let parts = (0..<3).map { index -> ArraySlice<UInt8> in
                let other = others.randomElement(using: &random) ?? token
                let segments = other.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                return index < segments.count ? segments[index] : []
            }
            token = Array(parts.joined(separator: [UInt8(ascii: ".")]))
        }
    }

    @Test func `Random payloads that are signed never crash`() throws {
        var random = Seed.generator("payloads")
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "d800", "1e9", "-", "null", "true", "transactionId",
            "\"signedDate\"",
            "1772358600000", "\"type\"", "\u{FF}", "\n", "\"originalTransactionId\":\"1\"", "\"autoRenewStatus\":",
            "data",
        ].map { Array($0.utf8) }
        for _ in 0..<Seed.cases(3_000) {
            var payload = Sample.payload(EvidenceKind.allCases.randomElement(using: &random) ?? .transaction)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let start = Int.random(in: 0...payload.count, using: &random)
                let end = min(payload.count, start + Int.random(in: 0...12, using: &random))
                payload.replaceSubrange(start..<end, with: pieces.randomElement(using: &random) ?? [])
            }
            var segments = Segments(String(decoding: original, as: UTF8.self))
            segments.payload = Base64URL.encode(payload)
            #expect(trust.verifier.verify(segments.jws).code != nil || payload == Sample.transaction())
        }
    }
}
