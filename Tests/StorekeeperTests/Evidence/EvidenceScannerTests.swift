import StorekeeperTesting
import Testing

@testable import StorekeeperEngine

/// Returns an item with its line as text: `jws 3 a.b.c`, `unsigned 1 transaction`, `malformed 2 …`.
private func describe(_ item: EvidenceItem) -> String {
    switch item {
    case .jws(let text, let line): "jws \(line) \(String(decoding: text, as: UTF8.self))"
    case .unsigned(let value, let line): "unsigned \(line) \(EvidenceKind(payload: value)?.rawValue ?? "?")"
    case .receipt(let bytes, let line): "receipt \(line) \(String(decoding: bytes, as: UTF8.self))"
    case .malformed(let message, let line): "malformed \(line) \(message)"
    }
}

private func scan(_ text: some Sequence<UInt8>, piece: Int = .max, limit: Int = 64 << 20) -> [String] {
    var scanner = EvidenceScanner(maximumDocumentSize: limit)
    var rest = Array(text)[...]
    var items: [EvidenceItem] = []
    while !rest.isEmpty {
        items += scanner.feed(rest.prefix(piece))
        rest = rest.dropFirst(piece)
    }
    items += scanner.finish()
    return items.map(describe)
}

private func scan(_ text: String, limit: Int = 64 << 20) -> [String] { scan(text.utf8, limit: limit) }

private let transaction = #"{"transactionId":"1","originalTransactionId":"1","productId":"p"}"#

/// Files with all kinds of contents, and the items that the scanner must find in them.
private let samples: [(text: String, items: [String])] = [
    ("", []),
    ("\n \r\n\t\n", []),
    ("a.b.c\n  d.e.f \r\n\n\tg", ["jws 1 a.b.c", "jws 2 d.e.f", "jws 4 g"]),
    ("\u{FEFF}a.b.c\n\u{FEFF}d", ["jws 1 a.b.c", "jws 2 \u{FEFF}d"]),
    ("null\n12\ntrue", ["jws 1 null", "jws 2 12", "jws 3 true"]),
    ("\"a.b.c\"\n\"d\" \"e\"", ["jws 1 a.b.c", "jws 2 d", "jws 2 e"]),
    ("\"a\nb", ["malformed 1 the line starts with a quotation mark but is not a JSON string", "jws 2 b"]),
    ("\"a\", \"b\"\nc", ["jws 1 a", "malformed 1 there is extra content after the JSON value on its line", "jws 2 c"]),
    (#"{"signedTransactions":["a","b"],"revision":"r","hasMore":false}"#, ["jws 1 a", "jws 1 b"]),
    (#"{"signedRenewalInfo":"r","signedTransactionInfo":"t"}"#, ["jws 1 t", "jws 1 r"]),
    (#"{"signedTransactionInfo":"t","signedRenewalInfo":null}"#, ["jws 1 t"]),
    (#"{"signedAppTransactionInfo":"a"} {"signedPayload":"n"}"#, ["jws 1 a", "jws 1 n"]),
    (
        """
        {
          "environment": "Production",
          "data": [
            { "subscriptionGroupIdentifier": "21",
              "lastTransactions": [
                { "originalTransactionId": "1", "status": 1,
                  "signedRenewalInfo": "r1",
                  "signedTransactionInfo": "t1" },
                { "signedTransactionInfo": "t2", "signedRenewalInfo": "r2" } ] },
            { "subscriptionGroupIdentifier": "22", "lastTransactions": [] }
          ]
        }
        a.b.c
        """, ["jws 8 t1", "jws 7 r1", "jws 9 t2", "jws 9 r2", "jws 13 a.b.c"]
    ),
    (#"{"lastTransactions":[{"signedTransactionInfo":"t"}]}"#, ["jws 1 t"]),
    (
        #"{"notificationHistory":[{"signedPayload":"a","sendAttempts":[]},{"signedPayload":"b"}]}"#,
        ["jws 1 a", "jws 1 b"]
    ),
    ("[\"a\",\n\"b\"]\n", ["jws 1 a", "jws 2 b"]),
    ("[\(transaction),\n\"j\",\n3]", ["unsigned 1 transaction", "jws 2 j", "malformed 3 a number is not evidence"]),
    (
        #"{"notificationType":"TEST","data":{"signedTransactionInfo":"t"}}"#, ["unsigned 1 notification"]
    ),
    (#"[] {"data":[]} {"signedTransactions":[]} {"notificationHistory":[]} {"lastTransactions":[]}"#, []),
    (#"{"hasMore":false,"revision":"r"} {"status":1}"#, []),
    (
        #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#,
        ["malformed 1 an error of the App Store Server API, not evidence: errorCode 4040010, Transaction id not found."]
    ),
    (
        #"{"name":"secret","other":1}"#,
        [#"malformed 1 a JSON object that is not known evidence; its members are "name", "other""#]
    ),
    (
        "{\"receipt-data\":\"x\"} [{\"status\":21007},\n{\"status\":0,\"receipt\":{}}] {\"latest_receipt_info\":[]}",
        [
            #"receipt 1 {"receipt-data":"x"}"#, #"receipt 1 {"status":21007}"#, #"receipt 2 {"status":0,"receipt":{}}"#,
            #"receipt 2 {"latest_receipt_info":[]}"#,
        ]
    ),
    ("{}", ["malformed 1 a JSON object without members is not evidence"]),
    (#"{"signedTransactions":"a"}"#, ["malformed 1 signedTransactions is not an array"]),
    ("{\n\"signedPayload\":1}", ["malformed 2 signedPayload is not a string"]),
    // A document that is cut off ends at the beginning of the next item.
    ("{\"signedTransactions\":[\na.b.c", ["malformed 2 not JSON: expected a value", "jws 2 a.b.c"]),
    (
        "{\"signedTransactions\":[\"x\na.b.c",
        ["malformed 1 not JSON: a string contains a control character", "jws 2 a.b.c"]
    ),
    ("{\"a\": x, \"b\": 1}\na", ["malformed 1 not JSON: expected a value", "jws 2 a"]),
    ("{\"a\":1", ["malformed 1 the JSON document that begins here does not end"]),
    ("a\n[\n[\n", ["jws 1 a", "malformed 2 the JSON document that begins here does not end"]),
    (
        transaction + " x\ny",
        ["unsigned 1 transaction", "malformed 1 there is extra content after the JSON value on its line", "jws 2 y"]
    ),
    // A repeated member makes only its own document malformed.
    ("{\n\"a\":1,\n\"a\":2,\n\"b\":3\n} \"j\"", ["malformed 3 not JSON: the member \"a\" occurs twice", "jws 5 j"]),
    ("[{\"a\":1,\"a\":2},\nb.c.d", ["malformed 1 not JSON: the member \"a\" occurs twice", "jws 2 b.c.d"]),
]

struct EvidenceScannerTests {
    @Test("A file is split into its items", arguments: samples)
    func splits(sample: (text: String, items: [String])) {
        #expect(scan(sample.text) == sample.items)
    }

    @Test("The items do not depend on how the bytes are cut", arguments: samples)
    func pieces(sample: (text: String, items: [String])) {
        for piece in [1, 2, 3, 7] { #expect(scan(sample.text.utf8, piece: piece) == sample.items) }
    }

    @Test("All samples in one file, cut at every place, are the sum of the samples")
    func everyBoundary() {
        let text = Array(samples.map(\.text).joined(separator: "\n").utf8)
        let whole = scan(text)
        #expect(whole.count > 40)
        for cut in 0...text.count {
            var scanner = EvidenceScanner()
            let items = scanner.feed(text[..<cut]) + scanner.feed(text[cut...]) + scanner.finish()
            #expect(items.map(describe) == whole)
        }
    }

    @Test("A document on many lines may be longer than any guess of its size")
    func longDocument() {
        let strings = (0..<3000).map { "\"header\($0).payload.signature\"" }
        let text = "{\n\"signedTransactions\": [\n" + strings.joined(separator: ",\n") + "\n]\n}\nlast"
        let items = scan(text)
        #expect(items.count == 3001)
        #expect(items.first == "jws 3 header0.payload.signature")
        #expect(items.dropLast().last == "jws 3002 header2999.payload.signature")
        #expect(items.last == "jws 3005 last")
    }

    @Test("Text that is longer than the limit is one malformed item, and the next line is read")
    func limit() {
        let long = String(repeating: "x", count: 3 << 20)
        let limit = 1 << 20
        #expect(scan("\(long)\na", limit: limit) == ["malformed 1 the line is longer than 1 MiB", "jws 2 a"])
        #expect(scan("\"\(long)\"\na", limit: limit) == ["malformed 1 the line is longer than 1 MiB", "jws 2 a"])
        let document = "[\n\"\(long)\"]"
        #expect(
            scan("\(document)\na", limit: limit) == ["malformed 1 the JSON document is larger than 1 MiB", "jws 3 a"])
        let line = "[\"\(long)\"]"
        #expect(scan("\(line)\na", limit: limit) == ["malformed 1 the JSON document is larger than 1 MiB", "jws 2 a"])
    }

    @Test(
        "Hostile files take time in proportion to their size",
        arguments: [
            "{", "[", "[\n", "{\n", "{\nx\n", "{} ", "\"\" {} ", "{\"a\":1,\"a\":2,\"b\":[\n", "[{\"a\":1,\"a\":2}\n",
            "\"\\", "{\"\\u", "{]", "[1,\n", "{\"a\":", "\u{FEFF}", "\"a\" ",
        ])
    func hostile(unit: String) {
        func time(_ count: Int) -> Duration {
            let bytes = Array(String(repeating: unit, count: count / unit.utf8.count).utf8)
            return processorTime { _ = scan(bytes, piece: 65_536) }
        }
        let small = time(1 << 15)
        let large = time(1 << 18)
        // The file is eight times as large. With a quadratic algorithm, the scan would take sixty-four times as long.
        #expect(large < small * 32 + .milliseconds(200))
    }

    @Test("The blanks at the end of a line are not looked at once for each value before them")
    func blanksAtTheEnd() {
        func time(_ count: Int) -> Duration {
            let values = String(repeating: "\"\"{}", count: count / 8)
            let bytes = Array((values + String(repeating: " ", count: count / 2) + "\na").utf8)
            return processorTime { #expect(scan(bytes, piece: 65_536).count == count / 4 + 1) }
        }
        let small = time(1 << 13)
        #expect(time(1 << 16) < small * 32 + .milliseconds(200))
    }

    @Test("Mutated files end in items, the same however the bytes are cut")
    func mutations() {
        let corpus = samples.map { Array($0.text.utf8) }
        let tokens = "{}[]\",:\\\n\r 0e.nu".utf8.map { [$0] } + [[0], [0x80], [0xEF, 0xBB, 0xBF], [0xFF]]
        let mutator = ByteMutator(samples: corpus, tokens: tokens)
        checkProperty(
            "a file's items do not depend on how its bytes are cut", cases: 10_000,
            generate: { random in
                var bytes = mutator.mutant(&random)
                for _ in 0..<random.number(in: 0...2) { bytes += [0x0A] + mutator.mutant(&random) }
                return (bytes: bytes, piece: random.number(in: 1...64))
            },
            shrink: { file in ByteMutator.simpler(file.bytes).map { ($0, file.piece) } },
            describe: { "\(String(decoding: $0.bytes, as: UTF8.self))\nin pieces of \($0.piece) bytes" },
            holds: { scan($0.bytes) == scan($0.bytes, piece: $0.piece) })
    }
}
