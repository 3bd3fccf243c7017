import Foundation
import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

/// Tests that every signature of the stories in `Configuration/evidence` is valid, and that the engine returns
/// the expected answers.
struct StoryTests {
    /// The expected answers about a story's main products, features and balances, as text.
    struct ExpectedAnswers: Sendable, CustomStringConvertible {
        let story: String
        let answers: [String: String]
        var description: String { story }
    }

    static let promises = [
        ExpectedAnswers(
            story: "upgrade-mid-month",
            answers: ["gold.monthly": "entitled active", "silver.monthly": "lapsed upgraded", "pro": "entitled active"]),
        ExpectedAnswers(
            story: "grace-then-recovery", answers: ["gold.monthly": "entitled active", "pro": "entitled active"]),
        ExpectedAnswers(story: "billing-retry", answers: ["silver.monthly": "lapsed billingRetry"]),
        ExpectedAnswers(story: "refunded", answers: ["gold.monthly": "lapsed refunded", "pro": "lapsed refunded"]),
        ExpectedAnswers(story: "refund-reversed", answers: ["silver.monthly": "entitled active"]),
        ExpectedAnswers(story: "family-member", answers: ["gold.monthly": "entitled active"]),
        ExpectedAnswers(
            story: "family-sharing-ended",
            answers: [
                "gold.monthly": "lapsed familySharingEnded", "silver.monthly": "entitled active",
                "ad-free": "entitled active",
            ]),
        ExpectedAnswers(
            story: "sandbox-in-production",
            answers: ["gold.monthly": "never noPurchase", "remove.ads": "entitled owned"]),
        ExpectedAnswers(story: "coins-one-refunded", answers: ["coins": "700", "gems": "10"]),
        ExpectedAnswers(story: "stale-copy-after-refund", answers: ["remove.ads": "lapsed refunded"]),
        everything("season-pass-and-remove-ads"),
        everything("shuffled-and-doubled"),
        ExpectedAnswers(
            story: "nothing-at-all",
            answers: ["gold.monthly": "never noPurchase", "pro": "never noPurchase", "coins": "0"]),
    ]

    private static func everything(_ story: String) -> ExpectedAnswers {
        ExpectedAnswers(
            story: story,
            answers: [
                "remove.ads": "entitled owned", "season.pass": "entitled active", "news.monthly": "entitled active",
                "bronze.monthly": "lapsed expired", "coins": "1000", "gems": "60",
            ])
    }

    private static func story(_ name: String) throws -> ExampleStory {
        try #require(try ExampleStory.all().first { $0.name == name })
    }

    private static func instant(_ story: ExampleStory) throws -> Instant {
        try #require(story.values(of: "--at").first.flatMap { Instant($0) })
    }

    @Test("The stories are those with promises here")
    func names() throws {
        #expect(try ExampleStory.all().map(\.name) == Self.promises.map(\.story).sorted())
    }

    @Test("A story's command is one line of plain words that asks for entitlements", arguments: promises)
    func command(promise: ExpectedAnswers) throws {
        let story = try Self.story(promise.story)
        let text = String(
            decoding: try story.bytes(of: "Configuration/evidence/\(promise.story).command"), as: UTF8.self)
        #expect(text == story.command.joined(separator: " ") + "\n")
        #expect(story.command.first == "entitlements")
        #expect(story.evidence == ["Configuration/evidence/\(promise.story).jsonl"])
    }

    @Test("Every item is signed under the shipped root, and only sandbox items are refused", arguments: promises)
    func signatures(promise: ExpectedAnswers) throws {
        let errors = try StoryEvidence(Self.story(promise.story)).results.compactMap { $0.error?.code }
        #expect(errors == (promise.story == "sandbox-in-production" ? [.environmentRefused] : []))
    }

    @Test("A story's evidence gives the promised answers", arguments: promises)
    func answers(promise: ExpectedAnswers) throws {
        let story = try Self.story(promise.story)
        let resolution = try StoryEvidence(story).resolution(of: story)
        let instant = try Self.instant(story)
        for (id, expected) in promise.answers {
            #expect(Self.text(id, in: resolution, at: instant) == expected, "\(id)")
        }
    }

    private static func text(_ id: String, in resolution: Resolution, at instant: Instant) -> String? {
        if let balance = resolution.balance(Balance.ID(id)) { return String(balance.totals(at: instant).balance) }
        let answer =
            resolution.product(Product.ID(id))?.timeline.value(at: instant)
            ?? resolution.feature(Feature.ID(id))?.timeline.value(at: instant).answer
        return answer.map { "\($0.word) \($0.reasonWord)" }
    }

    @Test("A story's evidence gives no diagnostics", arguments: promises)
    func diagnostics(promise: ExpectedAnswers) throws {
        let story = try Self.story(promise.story)
        let resolver = EntitlementResolver(catalog: try Catalog(reading: story.catalogFiles()))
        let instant = try Self.instant(story)
        let found = EvidenceDiagnostics(try StoryEvidence(story).history(), resolver: resolver)
            .diagnostics(at: instant, now: instant)
        #expect(found == [])
    }

    @Test("The order and repetition of copies change nothing")
    func disorder() throws {
        let (orderly, shuffled) = (try Self.story("season-pass-and-remove-ads"), try Self.story("shuffled-and-doubled"))
        #expect(try StoryEvidence(orderly).history().count == StoryEvidence(shuffled).history().count)
        #expect(try StoryEvidence(orderly).resolution(of: orderly) == StoryEvidence(shuffled).resolution(of: shuffled))
        #expect(try orderly.expectedBytes() == shuffled.expectedBytes())
    }

    @Test("The sandbox purchase would give access in the sandbox, but is refused in production")
    func sandbox() throws {
        let story = try Self.story("sandbox-in-production")
        let history = try StoryEvidence(story, environments: [.sandbox]).history()
        let resolver = EntitlementResolver(
            catalog: try Catalog(reading: story.catalogFiles()),
            policy: EntitlementPolicy(environments: [.sandbox: .grant]))
        let answer = resolver.resolve(history).product("gold.monthly")?.timeline.value(at: try Self.instant(story))
        #expect(answer?.isEntitled == true)
    }

    @Test("The stale copy would give access without the newer one")
    func staleCopy() throws {
        let story = try Self.story("stale-copy-after-refund")
        var history = PurchaseHistory()
        guard case .transaction(let last)? = try StoryEvidence(story).results.last else {
            Issue.record("the last line is not a transaction")
            return
        }
        history.merge([last])
        let answer = EntitlementResolver().resolve(history).product("remove.ads")?.timeline
            .value(at: try Self.instant(story))
        #expect(answer?.isEntitled == true)
    }

    @Test("Each story has its description and its signed evidence", arguments: promises)
    func files(promise: ExpectedAnswers) throws {
        let story = try Self.story(promise.story)
        let description = try story.bytes(of: "Configuration/evidence/stories/\(promise.story).yaml")
        #expect(description.starts(with: "story: >-\n".utf8))
        let evidence = try story.bytes(of: "Configuration/evidence/\(promise.story).jsonl")
        #expect(evidence.isEmpty == (promise.story == "nothing-at-all"))
    }

    @Test("No file in Configuration holds a private key")
    func noPrivateKeys() throws {
        let folder = try #require(ExampleStory.repository()).appending(path: "Configuration")
        let files = try #require(
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey]))
        var checked = 0
        for case let file as URL in files where file.hasDirectoryPath == false {
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            checked += 1
            #expect(!text.contains("PRIVATE KEY"), "\(file.lastPathComponent)")
            #expect(!text.contains("privateKey"), "\(file.lastPathComponent)")
        }
        #expect(checked > 3 * Self.promises.count)
    }
}
