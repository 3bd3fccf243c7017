import ArgumentParser
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Storekeeper
import StorekeeperAppStore
import StorekeeperCharts
import StorekeeperJWS
import StorekeeperSimulator
import Testing

@testable import StorekeeperCLI
@testable import StorekeeperCompanion
@testable import StorekeeperLocalStore
@testable import StorekeeperPages

/// Tests that the engine's timeline, the tables of both pages, HTTP and the command line give the same answers.
///
/// Each shipped scenario is played once into a vault in memory. The answers of each customer are then compared at
/// twelve instants.
@Suite struct AgreementTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Configuration/scenarios")

    /// The scenarios in which the App Store and the vault have different data by design.
    ///
    /// In these scenarios, the transaction manager, which shows the data of the App Store, is not compared.
    private static let apart: Set<String> = [
        // Access that is granted without a purchase is recorded only in the vault.
        "access-without-a-purchase.yaml",
        // The purchase of an Apple Account belongs to another customer of the app.
        "account-token-of-another.yaml",
        // Transactions are deleted at the App Store, and a vault keeps them.
        "cleared.yaml", "several-apps.yaml",
    ]

    @Test(
        "Timeline, tables of both pages, HTTP and command line agree at twelve instants",
        arguments: ThreeBackendsTests.scenarios)
    func agreement(_ file: String) async throws {
        let scenario = try Scenario(contentsOfFile: Self.folder.appending(path: file).path)
        let vault = InMemoryVault()
        var runner = try await ScenarioRunner(scenario, vault: vault)
        _ = try await runner.run()
        let store = runner.store
        // Simulated errors end here, so that the vault can also verify the evidence that it refused when it arrived.
        let forged = try scenario.apps.map(\.bundleID).filter {
            try store.settings(of: $0).simulatedErrors[.verification] != nil
        }
        for app in scenario.apps {
            for api in SimulatedAPI.allCases {
                try store.perform(.setSetting(.simulatedError(nil, api: api)), app: app.bundleID)
            }
        }
        let local = await LocalAppStore(store: store, scenario: scenario)
        for (index, app) in scenario.apps.enumerated() {
            let companion = try Companion(over: vault, of: app, in: scenario, store)
            for person in store.accounts {
                // The runner gives customers of further apps these ids, because all apps share one vault.
                let customer = index == 0 ? person : CustomerID(rawValue: "\(person)@\(app.bundleID)")
                // The vault lacks the evidence that could not be verified when it arrived.
                let texts = try forged.contains(app.bundleID) ? store.evidence(of: person, app: app.bundleID) : []
                // From now on the evidence counts as complete, even of a person who never did anything.
                let snapshot = try await companion.pool.withStore(customer) { own in
                    try await own.ingest(texts, isComplete: true)
                    return own.snapshot
                }
                let subject = Subject(
                    file: file, person: person, customer: customer, app: app, now: store.now,
                    moments: Self.moments(of: snapshot.resolution, from: scenario.start, at: store.now))
                #expect(subject.moments.count == Self.momentCount)
                let balances = try await Self.checkCommandLine(subject, scenario, vault)
                try await Self.checkCompanion(subject, companion, vault, balances)
                for moment in subject.moments { Self.checkDesk(subject, snapshot, moment) }
                if !Self.apart.contains(file) { try Self.checkManager(subject, snapshot, on: local) }
            }
        }
    }

    // MARK: The engine's timeline

    /// An instant, and the answers in the segments of the engine's timelines that contain it, by product and feature.
    private struct Moment {
        let at: Instant
        let answers: [String: EntitlementAnswer]
        /// The ends of the segments; an answer without a known end is missing.
        let ends: [String: Instant]
        /// The status of each line of service, and the highest status of each group.
        let statuses: [String: String]
        /// The products and states of all statuses, sorted.
        let states: [String]

        /// The ends of the answers that give access.
        var accessEnds: [String: Instant] { ends.filter { answers[$0.key]?.isEntitled == true } }
    }

    /// A customer of an app in a scenario.
    private struct Subject {
        let file: String
        /// The person's Apple Account.
        let person: CustomerID
        /// The customer in the vault.
        let customer: CustomerID
        let app: SimulatedApp
        /// The end of the story.
        let now: Instant
        let moments: [Moment]

        /// The scenario, the person and the app.
        var place: String { "\(file), \(person), \(app.bundleID)" }

        /// Records an issue for each product and feature whose answer differs from the engine's timeline.
        func check(_ found: [String: String], _ source: String, at moment: Moment) {
            compare(moment.answers.mapValues(\.description), found, source, at: moment)
        }

        /// Records an issue for each value that differs from the engine's.
        func compare<Value: Equatable>(
            _ own: [String: Value], _ found: [String: Value], _ source: String, at moment: Moment
        ) {
            for name in Set(found.keys).union(own.keys).sorted() where own[name] != found[name] {
                let texts = [own[name], found[name]].map { value in value.map { "\($0)" } ?? "absent" }
                Issue.record("\(place), \(moment.at): \(name): timeline \(texts[0]), \(source) \(texts[1])")
            }
        }

        /// Records an issue if the products and states in a table differ from the engine's.
        func check(states: [String], _ source: String, at moment: Moment) {
            guard states.sorted() != moment.states else { return }
            Issue.record("\(place), \(moment.at): statuses \(moment.states), \(source) \(states.sorted())")
        }
    }

    private static let momentCount = 12

    /// Returns twelve instants from the beginning of a story to a day after the last change of an answer.
    ///
    /// The instants include changes, the millisecond before each of these changes, and the present.
    private static func moments(of resolution: Resolution, from start: Instant, at now: Instant) -> [Moment] {
        let products = resolution.products.map { ($0.id.rawValue, $0.timeline.runs) }
        let features = resolution.features.map { ($0.id.rawValue, $0.timeline.runs) }
        let starts = products.flatMap { $0.1.compactMap(\.from) } + features.flatMap { $0.1.compactMap(\.from) }
        let changes = Set(starts).sorted().filter { $0 < now.adding(days: 3_650) }
        let (first, last) = (min(start, changes.first ?? start), max(now, changes.last ?? now).adding(days: 1))
        var instants: Set<Instant> = [now, last]
        // Up to four changes are chosen, from the first one to the last one.
        for part in 0..<4 where !changes.isEmpty {
            let change = changes[(changes.count - 1) * part / 3]
            instants.formUnion([change, change.adding(milliseconds: -1)])
        }
        // Further instants divide the story into thirteen parts. Multiples of five, which has no common divisor with
        // thirteen, are spread over the story.
        let length = last.milliseconds(since: first)
        var part: Int64 = 0
        while instants.count < momentCount {
            part = (part + 5) % 13
            instants.insert(first.adding(milliseconds: length * part / 13))
        }
        return instants.sorted().map { instant in
            var answers: [String: EntitlementAnswer] = [:]
            var ends: [String: Instant] = [:]
            for (id, runs) in products {
                let run = runs.first { $0.contains(instant) }
                (answers["product \(id)"], ends["product \(id)"]) = (run?.value, run?.to)
            }
            for (id, runs) in features {
                let run = runs.first { $0.contains(instant) }
                (answers["feature \(id)"], ends["feature \(id)"]) = (run?.value.answer, run?.to)
            }
            return Moment(
                at: instant, answers: answers, ends: ends, statuses: statuses(of: resolution, at: instant),
                states: resolution.groups.flatMap { group in
                    group.statuses(at: instant).map { "\($0.transaction.productID) \($0.state.rawValue)" }
                }.sorted())
        }
    }

    /// Returns the status of each line of service, and the highest status of each group.
    private static func statuses(of resolution: Resolution, at instant: Instant) -> [String: String] {
        var statuses: [String: String] = [:]
        for group in resolution.groups {
            func text(_ status: SubscriptionStatus) -> String {
                "\(status.transaction.productID) \(status.state.rawValue), access: \(status.isEntitled)"
            }
            for status in group.statuses(at: instant) {
                statuses["status of \(status.transaction.originalID) in \(group.group.id)"] = text(status)
            }
            statuses["highest of \(group.group.id)"] = group.highest(at: instant).map {
                "\($0.transaction.originalID) \(text($0))"
            }
        }
        return statuses
    }

    // MARK: The command line

    /// The part of the document of `storekeeper entitlements` that is compared.
    private struct EntitlementsDocument: Decodable {
        struct Row: Decodable {
            let id: String
            let answer: String
            let reason: String
            let until: Instant?
        }

        struct Status: Decodable {
            let originalTransactionID: String
            let productID: String
            let state: String
            let entitled: Bool

            var text: String { "\(productID) \(state), access: \(entitled)" }
        }

        struct Group: Decodable {
            let id: String
            let highest: Status?
            let statuses: [Status]
        }

        struct Consumable: Decodable {
            let id: String
            let balance: Int64
        }

        let products: [Row]
        let features: [Row]
        let groups: [Group]
        let consumables: [Consumable]

        /// The ends of the answers; an answer without a known end is missing.
        var ends: [String: Instant] {
            var ends: [String: Instant] = [:]
            for row in products { ends["product \(row.id)"] = row.until }
            for row in features { ends["feature \(row.id)"] = row.until }
            return ends
        }

        var statuses: [String: String] {
            var statuses: [String: String] = [:]
            for group in groups {
                for status in group.statuses {
                    statuses["status of \(status.originalTransactionID) in \(group.id)"] = status.text
                }
                statuses["highest of \(group.id)"] = group.highest.map { "\($0.originalTransactionID) \($0.text)" }
            }
            return statuses
        }

        /// The balances that are not zero.
        var balances: [String: Int64] {
            Dictionary(consumables.filter { $0.balance != 0 }.map { ($0.id, $0.balance) }) { first, _ in first }
        }

        var answers: [String: String] {
            var answers: [String: String] = [:]
            for row in products { answers["product \(row.id)"] = "\(row.answer) (\(row.reason))" }
            for row in features { answers["feature \(row.id)"] = "\(row.answer) (\(row.reason))" }
            return answers
        }
    }

    /// The part of the document of `storekeeper timeline` that is compared.
    private struct TimelineDocument: Decodable {
        struct Segment: Decodable {
            let from: Instant?
            let to: Instant?
            let answer: String
            let reason: String
        }

        struct Line: Decodable {
            let id: String
            let segments: [Segment]
        }

        let products: [Line]
        let features: [Line]?

        func answers(at instant: Instant) -> [String: String] {
            var answers: [String: String] = [:]
            for (kind, lines) in [("product", products), ("feature", features ?? [])] {
                for line in lines {
                    let segment = line.segments.first {
                        ($0.from ?? .distantPast) <= instant && instant < ($0.to ?? .distantFuture)
                    }
                    answers["\(kind) \(line.id)"] = segment.map { "\($0.answer) (\($0.reason))" }
                }
            }
            return answers
        }
    }

    /// Compares what the commands `entitlements` and `timeline` print as JSON.
    ///
    /// The commands read the vault of the scenario with the policy of the scenario. Only the parsing of arguments and
    /// the reading of files are left out.
    ///
    /// - Returns: The balances at each instant.
    private static func checkCommandLine(
        _ subject: Subject, _ scenario: Scenario, _ vault: InMemoryVault
    ) async throws -> [[String: Int64]] {
        let (now, policy) = (subject.now, scenario.policy)
        let console = Console(output: TextOutput { _ in }, errors: TextOutput { _ in }, environment: [:], now: now)
        var settings = try Settings(EvidenceOptions.parse([]), source: .vault, on: console)
        settings.bundleID = subject.app.bundleID
        settings.environments = Set(policy.environments.keys)
        settings.policy = EntitlementPolicy(
            gracePeriodEntitles: policy.gracePeriodEntitles, billingRetryEntitles: policy.billingRetryEntitles,
            renewalLeeway: policy.renewalLeeway, refundPolicy: policy.refundPolicy)
        let facts = try await CustomerFacts(of: subject.customer, in: vault, settings: settings)
        var balances: [[String: Int64]] = []
        for moment in subject.moments {
            settings.at = moment.at
            let query = try AnswersQuery(settings: settings, catalog: subject.app.catalog, facts: facts, now: now)
            let printed = EntitlementsReport(inquiry: query, only: nil).json.bytes()
            let document = try JSONDecoder().decode(EntitlementsDocument.self, from: Data(printed))
            subject.check(document.answers, "command 'entitlements'", at: moment)
            subject.compare(moment.ends, document.ends, "until of command 'entitlements'", at: moment)
            subject.compare(moment.statuses, document.statuses, "command 'entitlements'", at: moment)
            balances.append(document.balances)
        }
        settings.at = nil
        let query = try AnswersQuery(settings: settings, catalog: subject.app.catalog, facts: facts, now: now)
        let report = try TimelineReport(
            query, products: query.resolution.products.map(\.id), features: query.resolution.features.map(\.id),
            from: nil, to: nil, note: { _ in })
        let timeline = try JSONDecoder().decode(TimelineDocument.self, from: Data(report.json([]).bytes()))
        for moment in subject.moments {
            subject.check(timeline.answers(at: moment.at), "command 'timeline'", at: moment)
        }
        return balances
    }

    // MARK: The companion service

    /// The companion service of an app over the vault of a scenario, in this process.
    private struct Companion {
        let pool: StorePool
        private let service: CompanionService
        private let key: String

        init(
            over vault: InMemoryVault, of app: SimulatedApp, in scenario: Scenario, _ store: SimulatedAppStore
        ) throws {
            let verifier = store.verifier(bundleID: app.bundleID, environments: Set(scenario.policy.environments.keys))
            pool = StorePool(
                configuration: .init(
                    store: StoreConfiguration(catalog: app.catalog, policy: scenario.policy), readsHistories: false),
                vault: vault, verifier: verifier, clock: store.clock)
            let made = try AccessKey.make(name: "desk", scope: .desk)
            key = made.text
            var configuration = CompanionService.Configuration()
            configuration.environments = [scenario.environment]
            configuration.hasDesk = true
            service = CompanionService(
                pool: pool, receiver: NotificationReceiver(verifier: verifier, pool: pool),
                keys: try AccessKeys([made.key], clock: store.clock), bundleID: app.bundleID,
                configuration: configuration, clock: store.clock)
        }

        /// Returns the responses to requests.
        func texts(of paths: [String]) async throws -> [String] {
            let router = Router()
            router.add(middleware: ProblemMiddleware())
            service.addRoutes(to: router)
            let headers: HTTPFields = [.authorization: "Bearer \(key)"]
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            return try await Application(router: router, logger: logger).test(.router) { client in
                var texts: [String] = []
                for path in paths {
                    let (status, text) = try await client.execute(uri: path, method: .get, headers: headers) {
                        ($0.status.code, String(buffer: $0.body))
                    }
                    #expect(status == 200, "\(path): \(text)")
                    texts.append(text)
                }
                return texts
            }
        }
    }

    /// Compares the documents about entitlements and the timeline, and the HTML of the desk at every third instant.
    ///
    /// - Parameter balances: The balances at each instant, by the command line.
    private static func checkCompanion(
        _ subject: Subject, _ companion: Companion, _ vault: InMemoryVault, _ balances: [[String: Int64]]
    ) async throws {
        let id = subject.customer.rawValue.percentEncoded
        let entitlements = subject.moments.map { "/v1/customers/\(id)/entitlements?at=\($0.at)" }
        // The desk has no page about a customer of whom the vault has nothing.
        let record = try await DeskRecord(of: subject.customer, in: vault, asKnownAt: nil, before: nil)
        let shown = record == nil ? [] : stride(from: 1, to: subject.moments.count, by: 3).map { subject.moments[$0] }
        let pages = shown.map { "/desk?customer=\(id)&at=\($0.at)" }
        let texts = try await companion.texts(of: ["/v1/customers/\(id)/timeline"] + entitlements + pages)
        let bodies = texts.map { Data($0.utf8) }
        let timeline = try JSONDecoder().decode(TimelineDocument.self, from: try #require(bodies.first))
        for (index, (moment, body)) in zip(subject.moments, bodies.dropFirst()).enumerated() {
            let document = try JSONDecoder().decode(EntitlementsDocument.self, from: body)
            subject.check(document.answers, "HTTP entitlements", at: moment)
            // An answer without access may end earlier, when the evidence is too old to prove that nothing was bought.
            let ends = document.ends.filter { moment.answers[$0.key]?.isEntitled == true }
            subject.compare(moment.accessEnds, ends, "until of HTTP entitlements", at: moment)
            subject.compare(moment.statuses, document.statuses, "HTTP entitlements", at: moment)
            subject.compare(balances[index], document.balances, "balance of HTTP entitlements", at: moment)
            subject.check(timeline.answers(at: moment.at), "HTTP timeline", at: moment)
        }
        for (moment, page) in zip(shown, texts.dropFirst(1 + entitlements.count)) {
            subject.check(answers(on: page), "HTML of the desk", at: moment)
        }
    }

    // MARK: The pages

    /// Compares the answers and statuses in the desk's tables, as the service makes them for its page.
    ///
    /// If the words of a row are not those that the desk's texts have for the answer, these words are compared.
    private static func checkDesk(_ subject: Subject, _ snapshot: StoreSnapshot, _ moment: Moment) {
        let texts = DeskTexts(.english)
        let desk = DeskAnswers(
            snapshot.resolution(asCompleteAt: moment.at), at: moment.at, explanation: nil, DeskPlace(),
            DeskFormat(texts))
        func text(_ row: DeskAnswers.Answer, of name: String) -> String {
            guard let answer = moment.answers[name] else { return row.code }
            // The reasons of a free trial and of a shared or assigned product have texts of their own.
            let reasons = ["", ".trial", ".shared", ".assigned"].map { texts.word("reason", answer.reasonWord + $0) }
            let isNamed = row.answer == texts.word("answer", answer.word) && reasons.contains(row.reason)
            return isNamed ? row.code : "\(row.code), shown as '\(row.answer): \(row.reason)'"
        }
        var answers: [String: String] = [:]
        for row in desk.products { answers["product \(row.id)"] = text(row, of: "product \(row.id)") }
        for row in desk.neverBought { answers["product \(row.id)"] = EntitlementAnswer.never.description }
        for row in desk.features { answers["feature \(row.id)"] = text(row, of: "feature \(row.id)") }
        subject.check(answers, "table of the desk", at: moment)
        subject.check(
            states: desk.statuses.map { "\($0.product) \($0.stateWord)" }, "table of the desk", at: moment)
    }

    /// Returns the answers in the tables of the desk's HTML.
    private static func answers(on page: String) -> [String: String] {
        var answers: [String: String] = [:]
        for kind in ["product", "feature"] {
            let section =
                page.components(separatedBy: "<section id=\"\(kind)s\"").dropFirst().first?
                .components(separatedBy: "</section>").first ?? ""
            for row in section.components(separatedBy: "<th scope=\"row\">").dropFirst() {
                let id = row.prefix { $0 != " " && $0 != "<" }
                let rest = row.components(separatedBy: "<code class=\"soft\">").dropFirst().first ?? ""
                answers["\(kind) \(id)"] = String(rest.prefix { $0 != "<" })
            }
            // The products that were never bought are links below the table.
            for link in section.components(separatedBy: "<a href=\"").dropFirst() {
                let id = link.drop { $0 != ">" }.dropFirst().prefix { $0 != "<" }
                answers["\(kind) \(id)"] = EntitlementAnswer.never.description
            }
        }
        return answers
    }

    /// Compares the transaction manager: its answers at present and after the last change, and its timeline.
    ///
    /// At an earlier instant, the page's answers are based only on the evidence that was signed by then, which is
    /// another question. The earlier instants are compared in the page's timeline as a table, which uses all evidence.
    private static func checkManager(
        _ subject: Subject, _ snapshot: StoreSnapshot, on local: LocalAppStore
    ) throws {
        let later = subject.moments.filter { $0.at >= subject.now }
        for moment in [later.first, later.last].compactMap(\.self) {
            var location = PageLocation()
            location.view = .answers
            location.app = subject.app.bundleID
            location.person = subject.person.rawValue
            location.at = moment.at == subject.now ? nil : moment.at.description
            let page = try #require(
                try PageBuilder(local.current, location, at: .distantFuture, formToken: "").answersContent())
            var answers: [String: String] = [:]
            for row in page.products { answers["product \(row.id)"] = "\(row.word) (\(row.reasonWord))" }
            for link in page.neverBought { answers["product \(link.label)"] = EntitlementAnswer.never.description }
            for row in page.features { answers["feature \(row.id)"] = "\(row.word) (\(row.reasonWord))" }
            subject.check(answers, "table of the transaction manager", at: moment)
            subject.check(
                states: page.statuses.map { "\($0.product) \($0.stateWord)" }, "table of the transaction manager",
                at: moment)
            guard location.at == nil else { continue }
            let chart = TimelineChart(
                ofAll: snapshot.resolution, marking: snapshot.resolution.now(byClock: subject.now),
                words: .inEnglish { PageTime.text($0) })
            let (own, other) = (rows(TimelineContent(subject.person, chart)), rows(page.timeline))
            for row in own.subtracting(other).sorted() {
                Issue.record("\(subject.place): timeline \(row), which the transaction manager's timeline lacks")
            }
            for row in other.subtracting(own).sorted() {
                Issue.record("\(subject.place): transaction manager's timeline \(row), which the timeline lacks")
            }
        }
    }

    /// Returns the rows of a page's timeline as a table, each with its product or feature, answer, beginning and end.
    private static func rows(_ timeline: TimelineContent?) -> Set<String> {
        Set((timeline?.runs ?? []).map { "\($0.subject): \($0.answer) from \($0.from) until \($0.until)" })
    }
}

extension Timeline.Segment {
    /// Returns whether an instant is in the segment, whose end is exclusive.
    fileprivate func contains(_ instant: Instant) -> Bool {
        (from ?? .distantPast) <= instant && instant < (to ?? .distantFuture)
    }
}
