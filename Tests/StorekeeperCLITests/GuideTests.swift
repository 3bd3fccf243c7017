import Foundation
import StorekeeperTesting
import Testing

/// Runs the commands of each guide to which the README links, in order, in an empty folder for each guide.
@Suite("The guides", .system, .timeLimit(.minutes(20))) struct GuideTests {
    /// Runs all blocks of a page, with free ports, and checks the outputs that it shows.
    ///
    /// - Parameter changed: Texts of the page, each with the text that replaces it.
    private func type(_ name: String, changed: [String: String] = [:]) throws -> (Program.Result, Folder) {
        let folder = try Folder()
        let ports = try Guide.freePorts(2).map(String.init)
        let guide = try Guide("Documentation/Guides/\(name).md")
        let (lines, steps) = try guide.script()
        try #require(lines.count > 3)
        var text = lines.joined(separator: "\n")
        for (part, other) in changed { text = try Guide.replace(part, with: other, in: text) }
        text = text.replacing("8080", with: ports[0]).replacing("9000", with: ports[1])
        let result = try Guide.type([#"PATH="$(dirname "$program"):$PATH""#, "export COLUMNS=80", text], in: folder)
        #expect(result.status == 0, "\(result.output)\n\(result.errors)")
        #expect(!result.errors.contains("storekeeper: error"), "\(result.errors)")
        Guide.expect(steps, in: result.output)
        return (result, folder)
    }

    @Test("Answer a support ticket")
    func ticket() throws {
        let (_, folder) = try type("AnswerASupportTicket")
        let picture = try String(contentsOf: folder.url.appending(path: "ticket.svg"), encoding: .utf8)
        #expect(picture.contains("<svg") && picture.contains("gold.monthly"))
        let answers = try String(contentsOf: folder.url.appending(path: "ticket.json"), encoding: .utf8)
        #expect(answers.contains(/"reason" *: *"billingRetry"/))
    }

    @Test("Run the service")
    func service() throws {
        let (result, _) = try type("RunTheService")
        let lines = result.outputLines
        #expect(lines.contains { $0.contains(#""answer":"entitled""#) && $0.contains(#""until":"2026-02-01"#) })
        let spends = lines.filter { $0.contains(#""receipt":"#) }
        #expect(spends.count == 2 && spends.allSatisfy { $0.contains(#""balance":470"#) }, "\(spends)")
        #expect(spends.first?.contains(#""replayed":false"#) == true)
        #expect(spends.last?.contains(#""replayed":true"#) == true)
        #expect(lines.filter { $0 == "200" }.count == 3, "\(result.output)")
        #expect(lines.contains { $0.contains(#""balance":-30"#) }, "\(result.output)")
        #expect(lines.contains { $0.contains("all good") }, "\(result.output)")
    }

    /// Whether Python has the package with which the page checks a lease.
    private static let hasCryptography =
        (try? Program.type("python3 -c 'import cryptography'", in: Folder()).status) == 0

    @Test("Servers in other languages", .enabled(if: hasCryptography, "Python has no package cryptography"))
    func otherLanguages() throws {
        let (result, folder) = try type("OtherLanguages")
        let lines = result.outputLines
        #expect(lines.contains { $0.contains(#""answer":"entitled""#) }, "\(result.output)")
        #expect(lines.contains { $0.contains(#""balance":470"#) }, "\(result.output)")
        #expect(lines.contains("ad-free"), "\(result.output)\n\(result.errors)")
        let description = try String(contentsOf: folder.url.appending(path: "openapi.yaml"), encoding: .utf8)
        #expect(description.hasPrefix("openapi:"))
    }

    @Test("Test your server against an App Store")
    func appStore() throws {
        // On a busy machine the server may not listen yet when the next command runs. In a process that the tests
        // start, SIGTERM is blocked at first.
        let start = "python3 server.py >received.txt 2>server.log &\n"
        let unblock = "import signal; signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])"
        let (result, folder) = try type(
            "TestAgainstAnAppStore",
            changed: [
                start: """
                python3 -c '\(unblock); exec(open("server.py").read())' >received.txt 2>server.log &
                curl -s --retry 9 --retry-connrefused -o no.txt http://127.0.0.1:9000/

                """
            ])
        let evidence = try String(contentsOf: folder.url.appending(path: "customer.jws"), encoding: .utf8)
        #expect(evidence.split(separator: "\n").count > 1, "\(result.errors)")
    }
}
