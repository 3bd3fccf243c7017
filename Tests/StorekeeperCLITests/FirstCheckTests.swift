import Foundation
import StorekeeperTesting
import Testing

/// Runs the commands of the article "A first check in five minutes", in order, in a fresh clone.
@Suite("A first check in five minutes", .system, .timeLimit(.minutes(20))) struct FirstCheckTests {
    @Test("The commands work as the article says")
    func steps() throws {
        let guide = try Guide("Sources/StorekeeperCompanion/Documentation.docc/AFirstCheckInFiveMinutes.md")
        let blocks = guide.blocks(of: "sh")
        try #require(blocks.count == 4)
        let folder = try ReadmeCommandsTests.clone()
        let port = "\(try Guide.freePorts(1)[0])"
        let last = blocks[3].split(separator: "\n")
        try #require(last.count == 2 && last[1].hasPrefix("storekeeper local-app-store "))
        let typed = try Guide.type(
            [
                blocks[0], blocks[1], blocks[2],
                #"curl -s --fail -u "me:$KEY" "http://127.0.0.1:8080/desk?customer=anna" | grep -o '<title>.*</title>'"#,
                String(last[0]), "\(last[1]) &",
                "curl -s --fail --retry 9 --retry-connrefused http://127.0.0.1:8080/ | grep -o '<title>.*</title>'",
            ].map { $0.replacing("8080", with: port) }, in: folder)
        #expect(typed.status == 0, "\(typed.errors)")
        #expect(!typed.errors.contains("storekeeper: error"), "\(typed.errors)")
        let lines = typed.outputLines
        #expect(lines.first == "entitled (active) until 2026-04-10T15:00:00.000Z", "\(typed.output)")
        #expect(lines.contains { $0.hasPrefix("Transaction 510000000060002 decides") })
        #expect(lines.contains { $0.hasPrefix(#"{"answer":"entitled","#) && !$0.contains("steps") })
        #expect(typed.output.contains("family-shared copy"))
        #expect(typed.output.contains(#""replayed":false"#))
        #expect(lines.contains { $0.contains(/^coins +670$/) }, "\(typed.output)")
        #expect(typed.output.contains("<title>anna – Storekeeper</title>"))
        #expect(lines.last?.hasPrefix("<title>") == true && lines.last?.contains("anna") == false, "\(typed.output)")
    }
}
