import Foundation
import Storekeeper
import Testing

@testable import StorekeeperCLI

/// Tests of names of files that are not valid UTF-8.
struct NonUTF8BytesTests {
    private static let samples: [[UInt8]] = [
        [], Array("plain.jws".utf8), Array("größe 会員 👍.jws".utf8), [0xFF], [0x61, 0xE9, 0x62], [0xC3], [0xE2, 0x82],
        [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0x80], Array("\u{10FF80}".utf8),
        Array("\u{10FFFF}x\u{10FF7F}".utf8), [0x80, 0x81, 0xFE, 0xFF, 0x2F],
    ]

    @Test("Text keeps every byte", arguments: samples)
    func roundTrip(bytes: [UInt8]) {
        let text = NonUTF8Bytes.text(bytes)
        #expect(NonUTF8Bytes.bytes(text) == bytes)
        if let plain = String(validating: bytes, as: UTF8.self), !plain.contains("\u{10FF80}") {
            #expect(text == plain || NonUTF8Bytes.containsEncoded(text))
        }
    }

    @Test("Random bytes survive a round trip")
    func random() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            #expect(NonUTF8Bytes.bytes(NonUTF8Bytes.text(bytes)) == bytes)
        }
    }

    @Test("Bytes that are not UTF-8 do not reach a terminal")
    func shown() {
        #expect(NonUTF8Bytes.text([0x61, 0xFF, 0x62]).onOneLine == "a\u{FFFD}b")
    }

    @Test("A file whose name is not UTF-8 is opened, and named in messages")
    func opened() throws {
        let customer = try Customer([Customer.gold])
        let program = try #require(Program.executable)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c",
            """
            name=$(printf 'kund\\351.jws') && cp customer.jws "$name" && cp catalog.json "$name.json"
            '\(program.path)' check gold.monthly "$name" --root root.pem --bundle-id com.example.game \
              --catalog "$name.json" --at 2026-01-10 > output 2> errors; echo $? > status
            '\(program.path)' check gold.monthly "gone-$name" --root root.pem 2> gone
            """,
        ]
        process.currentDirectoryURL = customer.folder.url
        process.environment = ["PATH": "/usr/bin:/bin"]
        try process.run()
        process.waitForEnd()
        func text(_ name: String) throws -> String {
            try String(contentsOf: customer.folder.url.appendingPathComponent(name), encoding: .utf8)
        }
        #expect(try text("status") == "0\n")
        #expect(try text("output").hasPrefix("entitled (active)"))
        #expect(try text("errors") == "")
        #expect(
            try text("gone")
                == "storekeeper: error: the file cannot be read: no such file or directory (gone-kund\u{FFFD}.jws): "
                + "check the path and its permissions\n")
    }
}
