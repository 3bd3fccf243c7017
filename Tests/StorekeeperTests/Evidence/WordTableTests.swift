import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

@Suite("Words of a payload") struct WordTableTests {
    private func value<Value>(_ json: String, in table: WordTable<Value>) throws -> Value? {
        let document = try JSONReader().read(Array(json.utf8))
        let bytes = document.bytes
        return table.value(of: document.root.token, in: bytes.span)
    }

    @Test("A table finds every word by its exact spelling", arguments: Product.ProductType.known)
    func letters(type: Product.ProductType) throws {
        let word = type.rawValue
        let table = Product.ProductType.words
        #expect(try value("\"\(word)\"", in: table) == type)
        let escaped = "\\u00" + String(word.utf8.first ?? 0, radix: 16) + word.dropFirst()
        #expect(try value("\"\(escaped)\"", in: table) == type)
        for position in word.indices {
            // The other word has the same length, and differs only in one position.
            let other = word[..<position] + "!" + word[word.index(after: position)...]
            #expect(try value("\"\(other)\"", in: table) == nil)
        }
        #expect(try value("\"\(word)s\"", in: table) == nil)
        #expect(try value("\"\(word.dropLast())\"", in: table) == nil)
    }

    @Test("A table finds every known word, and nothing in a value that is not a string")
    func words() throws {
        for type in Product.ProductType.known {
            #expect(try value("\"\(type.rawValue)\"", in: Product.ProductType.words) == type)
        }
        for json in ["\"\"", "\"consumable\"", "1", "true", "null", "[]", "{}"] {
            #expect(try value(json, in: Product.ProductType.words) == nil)
        }
    }

    @Test("Equal signed texts are equal, whether stored as text or as decoded bytes")
    func signedText() throws {
        let text = try #require(CompactJWS("aGVhZGVy.cGF5bG9hZA.c2lnbmF0dXJl"))
        let kept = CompactJWS(
            header: text.header, payloadContent: Array("payload".utf8), signatureContent: Array("signature".utf8))
        #expect(kept == text && kept.hashValue == text.hashValue)
        #expect(kept.compact == text.compact && kept.signature == text.signature)
        #expect(text.signatureContent == kept.signatureContent && text.payloadContent == kept.payloadContent)
        let other = CompactJWS(
            header: text.header, payloadContent: Array("payload".utf8), signatureContent: Array("signaturf".utf8))
        #expect(other != text && other != kept)
        #expect(CompactJWS("aGVhZGVy.cGF5bG9hZA.no base64")?.signatureContent == nil)
    }
}
