import Foundation
import StorekeeperTesting
import Testing

/// What the article "A first check in five minutes" says one may type is typed, in order.
@Suite("A first check in five minutes", .timeLimit(.minutes(20))) struct FirstCheckTests {
    @Test("answers, explains, serves and shows as the article says")
    func steps() throws {
        let repository = try #require(try ExampleStory.all().first).repository
        let article = try String(
            contentsOf: repository.appending(
                path: "Sources/StorekeeperServer/Documentation.docc/AFirstCheckInFiveMinutes.md"), encoding: .utf8)
        let blocks = article.matches(of: #/```sh\n([\s\S]*?)```/#).map { String($0.1) }
        try #require(blocks.count == 4)
        let folder = try Folder()
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "Configuration"), withIntermediateDirectories: true)
        for name in ["evidence", "scenarios", "Store.storekit", "Products.json"] {
            try FileManager.default.copyItem(
                at: repository.appending(path: "Configuration/\(name)"),
                to: folder.url.appending(path: "Configuration/\(name)"))
        }

        // A free port in the place of 8080; what is served last is asked, and ended.
        let typed = try Program.type(
            """
            set -m
            trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
            url=
            listening() {
              for _ in $(seq 200); do
                url=$(sed -n 's/.*"url":"\\([^"]*\\)".*/\\1/p' served.json 2>/dev/null || true)
                [ -n "$url" ] && return 0
                sleep 0.1
              done
              return 1
            }
            storekeeper() {
              case "$1 $2" in
                "serve --new-key") "$program" "$@" ;;
                "serve "*) exec "$program" "$@" --port 0 --format json >served.json ;;
                *) "$program" "$@" ;;
              esac
            }
            curl() { listening && command curl "${@//http:\\/\\/127.0.0.1:8080/$url}" && echo; }
            \(blocks[0])
            \(blocks[1])
            \(blocks[2])
            command curl -s --fail -u "me:$KEY" "$url/desk?customer=anna" | grep -o '<title>.*</title>'
            \(blocks[3].replacing("storekeeper serve", with: "rm served.json; storekeeper serve").replacing(".yaml", with: ".yaml &"))
            listening
            command curl -s --fail "$url/" | grep -o '<title>.*</title>'
            """, in: folder)
        #expect(typed.status == 0, "\(typed.errors)")
        let lines = typed.outputLines
        #expect(lines.first == "entitled (active) until 2026-04-10T15:00:00.000Z", "\(typed.output)")
        #expect(lines.contains { $0.hasPrefix("Transaction 510000000060002 decides") })
        #expect(lines.contains { $0.hasPrefix(#"{"answer":"entitled","#) && !$0.contains("steps") })
        #expect(lines.contains { $0.hasPrefix(#"{"answer":"entitled","#) && $0.contains("family-shared copy") })
        #expect(lines.contains("<title>anna – Storekeeper</title>"))
        #expect(lines.last?.hasPrefix("<title>") == true && lines.last?.contains("anna") == false, "\(typed.output)")
    }
}
