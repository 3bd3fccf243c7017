import Foundation
import Storekeeper
import StorekeeperTesting
import Testing

/// What the article "From a key to a check" says one may type is typed, in order, against a local App Store.
@Suite("From a key to a check", .timeLimit(.minutes(20))) struct KeyToCheckTests {
    @Test("each step is confirmed as the article says")
    func steps() async throws {
        let repository = try #require(try ExampleStory.all().first).repository
        let article = try String(
            contentsOf: repository.appending(
                path: "Sources/StorekeeperAppStore/Documentation.docc/FromAKeyToACheck.md"), encoding: .utf8)
        let settings = try #require(article.firstMatch(of: #/```yaml\n([\s\S]*?)```/#)).1
        let blocks = article.matches(of: #/```sh\n([\s\S]*?)```/#).map { String($0.1) }
        #expect(blocks.count == 5)

        let folder = try Folder()
        try folder.write(String(settings), to: "storekeeper.yaml")
        try FileManager.default.copyItem(
            at: repository.appending(path: "Configuration/Store.storekit"),
            to: folder.url.appending(path: "Store.storekit"))
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "Downloads"), withIntermediateDirectories: true)
        let listener = try NotificationListener()
        defer { listener.stop() }
        let served = try ServedProcess(
            [
                "Store.storekit", "--root-out", "AppleRootCA-G3.cer", "--webhook", listener.url, "--new-api-key",
                "Downloads/SubscriptionKey_2X9R4HXF34.p8", "--key-id", "2X9R4HXF34", "--issuer-id",
                "57246542-96fe-1a63-e053-0824d011072a",
            ], in: folder)
        let outcome = try await served.step("buy gold.monthly by customer").object?["outcomes"]?.array
            .map(Array.init)?.first
        let id = try #require(outcome?.object?["transactionID"]?.string)

        var typed = ""
        var seen: [String] = []
        let expected = [
            ["app", "root"], ["key", "key file", "key ids", "server", "clock", "token"],
            ["vault", "vault file", "disk", "integrity"], [], ["notifications"],
        ]
        for (block, checks) in zip(blocks, expected) {
            typed += block.replacing("2000000123456789", with: id)
            let result = try type(typed, for: served.url, in: folder)
            #expect(result.status == 0, "\(block): \(result.errors)")
            let last = result.output.components(separatedBy: "-- doctor\n").last ?? ""
            for check in checks {
                let isFine = last.split(separator: "\n").contains {
                    $0.hasPrefix("ok") && $0.dropFirst(9).hasPrefix(check + " ")
                }
                #expect(isFine, "\(check): \(last)")
            }
            if checks.isEmpty { seen.append(result.output) }
        }
        #expect(seen.first?.contains("Gold") == true || seen.first?.contains("gold.monthly") == true, "\(seen)")
        #expect(served.end(SIGTERM) == 0)
    }

    /// Runs lines in a shell whose `storekeeper` asks the local App Store.
    private func type(_ text: String, for url: String, in folder: Folder) throws -> Program.Result {
        try Program.type(
            """
            HOME="$PWD"
            mv() { command mv "$@" 2>/dev/null || true; }
            storekeeper() {
              case "$1" in
                doctor)
                  echo "-- doctor"
                  # A step may fail until the last is done.
                  "$program" "$@" --server '\(url)' || true ;;
                fetch) "$program" "$@" --server '\(url)' >/dev/null ;;
                check) "$program" "$@" --at 2026-01-02 ;;
                vault) "$program" "$@" --if-missing ;;
                *) "$program" "$@" ;;
              esac
            }
            \(text)
            """, in: folder)
    }
}
