import Foundation
import Testing

@testable import StorekeeperEngine

struct PastedContentTests {
    // MARK: Samples

    private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
    private static func base64(_ text: String) -> String { base64(Array(text.utf8)) }
    private static func base64URL(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }

    /// Returns an element in DER.
    private static func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count
        let head: [UInt8] =
            length < 0x80
            ? [UInt8(length)] : [0x82, UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
        return [tag] + head + content
    }

    private static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    /// A receipt whose base64 contains the characters `+` and `/`, and padding.
    private static let receipt = der(
        0x30,
        der(0x06, signedData)
            + der(0xA0, der(0x30, [7, 0xFB, 0xEF, 0xBE, 0xFF, 0xFF, 0xFE] + Array(repeating: 7, count: 301))))
    private static let key = der(
        0x30, der(0x02, [0]) + der(0x30, der(0x06, [0x2A])) + der(0x04, Array(repeating: 0xFB, count: 120)))
    private static let certificate = der(
        0x30,
        der(0x30, der(0xA0, der(0x02, [2])) + der(0x02, [1])) + der(0x30, der(0x06, [0x2A])) + der(0x03, [0, 1, 2]))

    private static let header = base64URL(#"{"alg":"ES256","x5c":["MIIB"]}"#)
    private static let signature = String(repeating: "c2ln", count: 20)
    private static let jws = "\(header).\(base64URL(#"{"transactionId":"1"}"#)).\(signature)"
    private static let notificationJWS =
        "\(header).\(base64URL(#"{"notificationType":"TEST","notificationUUID":"x","data":{}}"#)).\(signature)"
    private static let token =
        base64URL(#"{"alg":"ES256","kid":"ABC","typ":"JWT"}"#) + "."
        + base64URL(#"{"iss":"57246542","aud":"appstoreconnect-v1","bid":"com.example"}"#) + "." + signature
    private static let purchaseInfo = base64(#"{ "product-id" = "coins"; "transaction-id" = "1"; }"#)
    private static let transactionReceipt =
        "{\n\t\"signature\" = \"AAAA\";\n\t\"purchase-info\" = \"\(purchaseInfo)\";\n}"

    private static func pem(_ label: String, _ bytes: [UInt8]) -> String {
        String(decoding: PEMText.text(label, bytes), as: UTF8.self)
    }

    struct Sample: CustomTestStringConvertible, Sendable {
        var name: String
        var bytes: [UInt8]
        var kind: PastedContent.Kind
        var items = 1
        /// Words that the line must contain.
        var words: [String] = []
        /// What the readers get; `nil` for the bytes themselves.
        var content: [UInt8]?

        var testDescription: String { name }

        init(
            _ name: String, _ text: String, _ kind: PastedContent.Kind, items: Int = 1, _ words: String...,
            content: [UInt8]? = nil
        ) {
            self.name = name
            bytes = Array(text.utf8)
            self.kind = kind
            self.items = items
            self.words = words
            self.content = content
        }

        init(_ name: String, bytes: [UInt8], _ kind: PastedContent.Kind) {
            self.name = name
            self.bytes = bytes
            self.kind = kind
        }
    }

    private static let jwsBytes = Array(jws.utf8)
    private static let keyText = PEMText.text("PRIVATE KEY", key)

    static let samples: [Sample] = [
        // Signed data.
        Sample("a JWS", jws, .jws, "storekeeper verify"),
        Sample("several JWS", "\(jws)\n\(jws)\n", .jws, items: 2),
        Sample("a JWS in quotation marks", "\"\(jws)\"", .jws, content: jwsBytes),
        Sample("an array of JWS", #"["\#(jws)","\#(jws)"]"#, .jws, items: 2),
        Sample("a JWS in base64", base64(jws), .jws, "in base64", content: jwsBytes),
        Sample("a JWS in base64 twice", base64(base64(jws)), .jws, "in base64 twice", content: jwsBytes),
        Sample(
            "a JWS with broken lines", "\(jws.prefix(30))\r\n\(jws.dropFirst(30))", .jws, "lines were broken",
            content: jwsBytes),
        Sample("a decoded payload", #"{"transactionId":"1","type":"Consumable"}"#, .jws, "--unsigned"),
        Sample("a token", token, .apiToken, "--api-key"),
        Sample("a token with its header", "Authorization: Bearer \(token)", .apiToken, content: Array(token.utf8)),
        // Receipts.
        Sample("a receipt in DER", bytes: receipt, .receipt),
        Sample("a receipt", base64(receipt), .receipt, "storekeeper receipt", content: receipt),
        Sample(
            "a receipt in short lines", Data(receipt).base64EncodedString(options: .lineLength76Characters), .receipt,
            content: receipt),
        Sample("a receipt in base64 twice", base64(base64(receipt)), .receipt, "twice", content: receipt),
        Sample(
            "a receipt whose + became spaces", base64(receipt).replacing("+", with: " "), .receipt, "spaces",
            content: receipt),
        Sample(
            "a receipt in URL-safe base64", Base64URL.encode(receipt), .receipt, "URL-safe", "without padding",
            content: receipt),
        Sample(
            "a receipt without padding", base64(receipt).replacing("=", with: ""), .receipt, "without padding",
            content: receipt),
        Sample(
            "a receipt in percent encoding",
            base64(receipt).replacing("+", with: "%2B").replacing("/", with: "%2f").replacing("=", with: "%3D"),
            .receipt, "percent", content: receipt),
        Sample("a receipt as PEM", pem("PKCS7", receipt), .receipt, content: receipt),
        Sample("receipts, one a line", base64(receipt) + "\n" + base64(receipt), .receipt, items: 2),
        Sample("a transaction receipt", transactionReceipt, .transactionReceipt, "before iOS 7"),
        Sample(
            "a transaction receipt in base64", base64(transactionReceipt), .transactionReceipt,
            content: Array(transactionReceipt.utf8)),
        Sample(
            "a response of verifyReceipt",
            #"{"status":0,"latest_receipt_info":[{"transaction_id":"1"},{"transaction_id":"2"}],"#
                + #""receipt":{"in_app":[{"transaction_id":"1"}]}}"#,
            .verifyReceiptAnswer, items: 2),
        Sample("status 21007", #"{"status":21007}"#, .verifyReceiptAnswer, items: 0, "sandbox", "21007"),
        Sample("status 21004", #"{"status":21004}"#, .verifyReceiptAnswer, items: 0, "shared secret"),
        Sample("an unknown status", #"{"status":21999}"#, .verifyReceiptAnswer, items: 0, "not documented"),
        Sample("a request to verifyReceipt", #"{"receipt-data":"MII="}"#, .verifyReceiptAnswer, items: 0, "request"),
        // Servers.
        Sample(
            "a history", #"{"signedTransactions":["\#(jws)","\#(jws)"],"hasMore":false}"#, .serverAPIAnswer, items: 2),
        Sample(
            "statuses",
            #"{"data":[{"lastTransactions":[{"signedTransactionInfo":"\#(jws)","signedRenewalInfo":"\#(jws)"}]}]}"#,
            .serverAPIAnswer, items: 2),
        Sample("an empty history", #"{"hasMore":false}"#, .serverAPIAnswer, items: 0),
        Sample(
            "an error", #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#, .serverAPIAnswer,
            items: 0, "4040010", "not found"),
        Sample("a notification", #"{"signedPayload":"\#(jws)"}"#, .notification),
        Sample("a notification as a JWS", notificationJWS, .notification, "storekeeper verify"),
        Sample(
            "a notification as a JWS in base64", base64(notificationJWS), .notification, "in base64",
            content: Array(notificationJWS.utf8)),
        Sample(
            "notifications, one a line", "{\"signedPayload\":\"\(jws)\"}\n{\"signedPayload\":\"\(jws)\"}",
            .notification, items: 2),
        Sample(
            "a decoded notification", #"{"notificationType":"TEST","notificationUUID":"x","data":{}}"#, .notification,
            "--unsigned"),
        Sample(
            "a notification of version 1",
            #"{"notification_type":"DID_RENEW","password":"x","unified_receipt":{"latest_receipt":"MII="}}"#,
            .notificationV1, "version 2", content: Array(#"{"latest_receipt":"MII="}"#.utf8)),
        // Unity.
        Sample(
            "Unity's receipt", #"{"Store":"AppleAppStore","TransactionID":"1","Payload":"\#(base64(receipt))"}"#,
            .unity, "app receipt", content: receipt),
        Sample(
            "Unity's receipt with a JWS", #"{"Store":"AppleAppStore","TransactionID":"1","Payload":"\#(jws)"}"#,
            .unity, "JWS", content: jwsBytes),
        Sample(
            "Unity's receipt of another store", #"{"Store":"GooglePlay","TransactionID":"1","Payload":"{}"}"#, .unity,
            items: 0, "GooglePlay"),
        // Keys and certificates.
        Sample("a key", pem("PRIVATE KEY", key), .privateKey, "--api-key", content: keyText),
        Sample(
            "a key without line breaks", pem("PRIVATE KEY", key).replacing("\n", with: ""), .privateKey,
            "line breaks were lost", content: keyText),
        Sample(
            "a key with spaces", pem("PRIVATE KEY", key).replacing("\n", with: " "), .privateKey, content: keyText),
        Sample(
            "a key with escapes", pem("PRIVATE KEY", key).replacing("\n", with: "\\n"), .privateKey, content: keyText),
        Sample(
            "a key in quotation marks", "\"" + pem("PRIVATE KEY", key).replacing("\n", with: "\\n") + "\"",
            .privateKey, content: keyText),
        Sample("a key without BEGIN and END", base64(key), .privateKey, "in base64", content: keyText),
        Sample("a key as base64 of PEM", base64(pem("PRIVATE KEY", key)), .privateKey, content: keyText),
        Sample("half a key", String(pem("PRIVATE KEY", key).prefix(80)), .unknown, items: 0, "cut off"),
        Sample("a certificate", pem("CERTIFICATE", certificate), .certificate, "--root"),
        Sample(
            "two certificates", pem("CERTIFICATE", certificate) + pem("CERTIFICATE", certificate), .certificate,
            items: 2),
        Sample("a certificate in DER", bytes: certificate, .certificate),
        // Catalogs.
        Sample("a list of products", #"{"products":["coins","gold"]}"#, .catalog, items: 2, "--catalog"),
        Sample("products with a type", #"[{"id":"coins","type":"consumable"}]"#, .catalog),
        Sample(
            "a property list",
            #"<?xml version="1.0"?><plist version="1.0"><array><string>coins</string></array></plist>"#, .catalog),
        Sample(
            "a list of products in base64", base64(#"{"products":["coins","gold"]}"#), .catalog, items: 2, "in base64",
            content: Array(#"{"products":["coins","gold"]}"#.utf8)),
        // Anything else.
        Sample("nothing", "", .unknown, items: 0, "empty"),
        Sample("blanks", " \n\t", .unknown, items: 0),
        Sample("a word", "hello", .unknown, items: 0),
        Sample("a sentence", "This is not evidence.", .unknown, items: 0),
        Sample("broken JSON", "{\"products\": [", .unknown, items: 0, "line 1"),
        Sample("a shop", #"{"goods":[{"name":"apple"}]}"#, .unknown, items: 0, "goods"),
        Sample("base64 of nothing known", base64(Array(repeating: 9, count: 60)), .unknown, items: 0, "base64"),
    ]

    @Test("Content is recognized from its bytes", arguments: samples)
    func recognized(sample: Sample) {
        let pasted = PastedContent(sample.bytes)
        #expect(pasted.kind == sample.kind)
        #expect(pasted.items == sample.items)
        for word in sample.words { #expect(pasted.line(for: "FILE").contains(word), "\(pasted.line(for: "FILE"))") }
        #expect(pasted.content == sample.content ?? sample.bytes)
        #expect(!pasted.line(for: "FILE").contains("\n"))
        #expect(!pasted.what.isEmpty && !pasted.next.isEmpty)
    }

    @Test("A byte order mark changes nothing but the words", arguments: samples)
    func byteOrderMark(sample: Sample) {
        guard sample.bytes.first != 0x30, sample.kind != .unknown else { return }
        let pasted = PastedContent([0xEF, 0xBB, 0xBF] + sample.bytes)
        #expect(pasted.kind == sample.kind)
        #expect(pasted.items == sample.items)
        #expect(pasted.line(for: "FILE").contains("byte order mark"))
        #expect(!pasted.content.starts(with: [0xEF, 0xBB, 0xBF]))
    }

    @Test("No line contains a key, a signature or a receipt", arguments: samples)
    func secrets(sample: Sample) {
        let line = PastedContent(sample.bytes).line(for: "FILE")
        for secret in [Self.base64(Self.key), Self.signature, Self.base64(Self.receipt)] {
            #expect(!line.contains(secret.prefix(24)))
        }
    }

    @Test("Content cut at any byte, and any nesting of encodings, is recognized without a trap")
    func hostile() {
        for sample in Self.samples {
            for count in stride(from: 0, to: sample.bytes.count, by: 17) {
                _ = PastedContent(Array(sample.bytes.prefix(count)))
            }
        }
        var text = Self.jws
        for _ in 0..<12 { text = Self.base64(text) }
        #expect(PastedContent(Array(text.utf8)).kind == .unknown)
        _ = PastedContent(Array(repeating: [0xEF, 0xBB, 0xBF], count: 10_000).flatMap { $0 })
        _ = PastedContent([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x30])
        _ = PastedContent([0x30, 0x80])
    }

    // MARK: Evidence

    /// Returns the items of a file in words.
    private static func items(_ text: String) -> [String] {
        var scanner = EvidenceScanner()
        return (scanner.feed(Array(text.utf8)) + scanner.finish()).map { item in
            switch item {
            case .jws(let bytes, let line): "\(line) \(String(decoding: bytes, as: UTF8.self) == jws ? "jws" : "text")"
            case .receipt(let bytes, let line): "\(line) \(bytes == receipt ? "receipt" : "answer")"
            case .unsigned(_, let line): "\(line) unsigned"
            case .malformed(let message, let line):
                "\(line) \(message.contains("not evidence") ? "refused" : "malformed")"
            }
        }
    }

    @Test(
        "Evidence in an encoding or envelope is read wherever evidence is read",
        arguments: [
            (jws, ["1 jws"]),
            (base64(jws), ["1 jws"]),
            (base64(base64(jws)), ["1 jws"]),
            ("\(jws)\n\(base64(receipt))\n\(jws)", ["1 jws", "2 receipt", "3 jws"]),
            (base64(receipt).replacing("+", with: " "), ["1 receipt"]),
            (Base64URL.encode(receipt), ["1 receipt"]),
            (#"["\#(base64(receipt))","\#(jws)"]"#, ["1 receipt", "1 jws"]),
            (#"{"Store":"AppleAppStore","Payload":"\#(base64(receipt))"}"#, ["1 receipt"]),
            (#"{"Store":"AppleAppStore","Payload":"\#(jws)"}"#, ["1 jws"]),
            (#"{"Store":"GooglePlay","Payload":"{}"}"#, ["1 refused"]),
            (#"{"notification_type":"RENEWAL","unified_receipt":{"latest_receipt":"MII="}}"#, ["1 answer"]),
            ("nonsense", ["1 text"]),
        ])
    func scanned(text: String, items: [String]) {
        #expect(Self.items(text) == items)
    }

    @Test(
        "A file is decoded as a whole only if it is not evidence as it is",
        arguments: [
            (Data(receipt).base64EncodedString(options: .lineLength76Characters), true, 1),
            (transactionReceipt, true, 1), (pem("PKCS7", receipt), true, 1),
            ("\(jws.prefix(30))\n\(jws.dropFirst(30))", true, 1), (pem("PRIVATE KEY", key), true, 1),
            (base64(receipt) + "\n" + base64(receipt), true, nil), ("some\nnonsense", true, nil),
            (jws, false, nil), ("nonsense", false, nil), (base64(jws), false, nil),
            (#"{"signedPayload":"x"}"#, false, nil), ("[]", false, nil), ("", false, nil),
        ] as [(String, Bool, Int?)])
    func wholeFiles(text: String, mayBeEncoded: Bool, items: Int?) {
        #expect(PastedContent.mayBeEncoded(beginning: Array(text.utf8)) == mayBeEncoded)
        guard mayBeEncoded else { return }
        #expect(EvidenceItem.items(ofEncoded: Array(text.utf8))?.count == items)
    }
}
