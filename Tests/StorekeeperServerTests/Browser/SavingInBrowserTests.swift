import Foundation
import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of saving a story, which was made by clicking on the page, as a test.
@Suite(.system, .inBrowser, .serialized, .timeLimit(.minutes(5)))
struct SavingInBrowserTests {
    @Test("A clicked story is saved as a test, which passes as downloaded and fails when its rule is broken")
    func story() async throws {
        let served = try await ServedStore()
        let folder = FileManager.default.temporaryDirectory.appending(path: "storekeeper-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "a-shop-for-tests.sh")
        try await served.local.serving { url in
            try await Browser.with(url) { browser in
                _ = try await browser.command(
                    "Browser.setDownloadBehavior",
                    .object(["behavior": .string("allow"), "downloadPath": .string(folder.path)]))
                try await browser.open("/?person=anna")
                try await browser.choose("gold.monthly", in: "#buy-buy-subject")
                try await browser.click("#buy-button")
                try await browser.wait(until: "document.querySelectorAll('.row-link').length === 1")
                try await browser.click("#step-week")
                try await browser.wait(for: "2026-01-08", in: "#clock-face")
                try await browser.click(".row-link")
                try await browser.wait(for: "purchased", in: "#inspector-head")
                try await browser.click("#near-refund-button")
                try await browser.wait(for: "refunded", in: "#inspector-head")

                try await browser.click("[data-key='view Scenario']")
                try await browser.wait(for: "lapsed, refunded", in: "#expectations")
                let price = "#expectations [value^='signed transaction revocationReason 0 ']"
                try await browser.click(price)
                // A change that was not made on this page updates the list, and the ticked lines remain ticked.
                try await served.step("buy coins.100 by anna")
                try await browser.wait(for: "coins", in: "#expectations")
                try await browser.wait(
                    until: "document.querySelector(\"#expectations [value='balance coins 100 for anna']\")")
                #expect(try await browser.script("return document.querySelector(\"\(price)\").checked").bool == true)
                try await browser.click("#save-curl")
                // The end of the browser would stop the download, so the loop waits for the file.
                for _ in 0..<600 where !FileManager.default.fileExists(atPath: file.path) {
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
        }
        #expect(try Self.run(file) == 0)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("check 'lapsed gold.monthly because refunded for anna'"))
        let broken = text.replacing(#/ {2}- refund: .*\n( {4}\w.*\n)*/#, with: "")
        #expect(broken != text)
        try broken.write(to: file, atomically: true, encoding: .utf8)
        #expect(try Self.run(file) == 1)
    }

    /// Runs a script with the program that was built with the tests.
    private static func run(_ script: URL) throws -> Int32 {
        let starts = [URL(fileURLWithPath: CommandLine.arguments[0]), Bundle.main.bundleURL]
        let folders = starts.flatMap { sequence(first: $0) { $0.deletingLastPathComponent() }.prefix(4) }
        let program = try #require(
            folders.map { $0.appending(path: "storekeeper") }.first {
                FileManager.default.isExecutableFile(atPath: $0.path)
                    && (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
            }, "the program was not built with the tests")
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", "PATH=\"$program:$PATH\" exec bash \"$0\"", script.path]
        process.currentDirectoryURL = script.deletingLastPathComponent()
        process.environment = ["PATH": "/usr/bin:/bin", "program": program.deletingLastPathComponent().path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
