import Storekeeper
import StorekeeperSimulator
import StorekeeperTesting
import Testing

@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests of the page in a narrow window, in dark colours and with a screen reader.
@Suite(.system, .inBrowser, .serialized, .timeLimit(.minutes(5)))
struct PageReadingTests {
    /// A name without a place at which a line can be broken.
    private static let longName = "a_customer_with_a_very_long_name_that_is_one_word_of_many_many_letters"

    private func shop() async throws -> ServedStore {
        let served = try await ServedStore()
        for step in [
            "new person \(Self.longName)", "new family anna", "join family bert of anna", "buy gold.monthly by anna",
            "fail billing anna",
            "advance 2 months", "buy coins.500 by bert quantity 3", "refund coins.500 by bert",
            "buy silver.monthly by \(Self.longName)", "set ask to buy yes", "buy remove.ads by bert",
        ] { try await served.step(step) }
        return served
    }

    /// Returns the addresses of all views, including views with an open answer and a selected transaction.
    private func addresses(_ served: ServedStore) throws -> [String] {
        let id = try #require(served.store.transactions.first).id
        return PageLocation.View.allCases.map { "/?view=\($0.rawValue)&person=anna&why=gold.monthly" }
            + [
                "/", "/?person=\(Self.longName)", "/?view=scenario&person=\(Self.longName)", "/?selected=\(id)",
                "/?view=notifications&selected=\(served.store.happeningCount)",
                "/?product=nothing",
            ]
    }

    @Test("No content reaches beyond the edge of a narrow or wide window", arguments: [400, 1280])
    func narrow(_ width: Int) async throws {
        try await everywhere(width: width) { browser, address in
            let beyond = try await browser.widthBeyond()
            #expect(beyond == 0, "\(address)")
            let cut = try await browser.cutTables()
            #expect(cut == "", "\(address)")
        }
    }

    @Test("Every control has a name for screen readers, and headings and ids are in order")
    func tree() async throws {
        try await everywhere { browser, address in
            let roles = try await browser.rolesReadAloud()
            #expect(roles.all.count > 50)
            #expect(roles.nameless.isEmpty, "\(address)")
            #expect(try await browser.disorder() == "", "\(address)")
        }
    }

    @Test("All visible text has the contrast of WCAG AA", arguments: [false, true])
    func contrast(isDark: Bool) async throws {
        try await everywhere(isDark: isDark) { browser, address in
            let (pale, ground) = (try await browser.paleWords(), try await browser.ground())
            #expect(pale == "", "\(address)")
            #expect(ground == (isDark ? "rgb(14, 18, 23)" : "rgb(244, 246, 248)"))
        }
    }

    /// Checks all addresses with every detail open.
    private func everywhere(
        width: Int = 1280, isDark: Bool = false, _ look: @escaping @Sendable (Browser, String) async throws -> Void
    ) async throws {
        let served = try await shop()
        let addresses = try addresses(served)
        try await served.local.serving { url in
            try await Browser.with(url, width: width, isDark: isDark) { browser in
                for address in addresses {
                    try await browser.open(address)
                    try await browser.openDetails()
                    try await look(browser, address)
                }
            }
        }
    }
}
