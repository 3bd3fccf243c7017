import Storekeeper
import StorekeeperSimulator
import Testing

@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests that the page has plain words in place of names from code, and one format of times.
@Suite struct PageWordsTests {
    private func shop() async throws -> PageClient {
        let served = try await ServedStore()
        for step in [
            "set ask to buy yes", "buy coins.100 by anna", "decline coins.100 by anna", "set ask to buy no",
            "buy silver.monthly by bert", "cancel silver.monthly by bert", "resume silver.monthly by bert",
            "fail billing bert", "advance 2 months", "intend coins.500 by anna",
        ] { try await served.step(step) }
        return PageClient(local: served.local)
    }

    @Test("No kind of happening has the name of a case of an enumeration", arguments: HappeningKind.allCases)
    func kinds(_ kind: HappeningKind) {
        #expect(!kind.title.isEmpty && !kind.title.contains(#/[a-z][A-Z]/#))
    }

    @Test("The events of the story have plain words and times in the format of the page")
    func story() async throws {
        let words = PageClient.words(try await shop().get("/?view=story").text)
        for expected in [
            "Ask to Buy requested for coins.100", "Ask to Buy declined for coins.100",
            "turned auto-renewal off for silver.monthly", "grace period began for silver.monthly",
            "grace period ended for silver.monthly", "tapped a promoted product (coins.500)", "advance 2 months",
        ] { #expect(words.contains(expected), "\(expected)") }
        for name in ["askToBuyRequested", "graceStarted", "autoRenewDisabled", "purchaseIntended"] {
            #expect(!words.contains(name), "\(name)")
        }
    }

    @Test("Actions have names that say what they do")
    func actions() async throws {
        let words = PageClient.words(try await shop().get("/?person=anna").text)
        #expect(words.contains("Tap a promoted product") && !words.contains("Intend"))
    }

    /// The view of scenarios is left out, because it has times in the notation of scenarios.
    @Test(
        "Every time of a page is written with its day and its time of day",
        arguments: PageLocation.View.allCases.filter { $0 != .scenario })
    func times(_ view: PageLocation.View) async throws {
        let text = try await shop().get("/?view=\(view.rawValue)&person=bert&why=silver.monthly").text
        let visible = PageClient.words(
            text.replacing(#/(?s)<svg.*?<\/svg>|<pre.*?<\/pre>/#, with: ""))
        // A time with a fraction of a second keeps the notation of the evidence.
        for match in visible.matches(of: #/20[0-9]{2}-[0-9]{2}-[0-9]{2}(?!T)(.{0,6})/#) {
            #expect(match.1.wholeMatch(of: #/ [0-9]{2}:[0-9]{2}/#) != nil, "\(match.0)")
        }
    }
}
