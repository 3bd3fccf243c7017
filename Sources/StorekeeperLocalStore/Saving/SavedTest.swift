import Storekeeper
import StorekeeperSimulator

/// A test that replays a story, in a file that can be run after it is saved.
struct SavedTest: Sendable {
    /// The format of a test.
    enum Format: String, Sendable, CaseIterable {
        /// A scenario that names its catalog files.
        case scenario
        /// A scenario that contains its catalogs in the same file.
        case file
        /// A folder with a scenario and its catalogs, as a tar archive.
        case folder
        /// A test in Swift, with Swift Testing.
        case swift
        /// A test in Python, with unittest.
        case python
        /// A script for bash, with curl.
        case curl
    }

    /// The name of the file.
    let fileName: String
    /// The media type.
    let type: String
    let bytes: [UInt8]

    init(_ fileName: String, type: String, _ bytes: [UInt8]) {
        (self.fileName, self.type, self.bytes) = (fileName, type, bytes)
    }

    init(_ fileName: String, type: String, _ text: String) { self.init(fileName, type: type, Array(text.utf8)) }
}

extension SavedTest {
    /// The reason why a story cannot be saved as a test.
    struct Refusal: Error, Hashable, Sendable {
        let heading: String
        let lines: [String]
    }

    /// Creates a test from the story of a store.
    ///
    /// The text of the test is first read and played. A test that would fail is refused.
    ///
    /// - Parameters:
    ///   - expectations: The expectations at the end, in the syntax of the step `expect`.
    ///   - present: Returns the expectations that a customer in an app (`nil` for the first app) meets at present, in
    ///     the syntax of the step `expect`.
    /// - Throws: `ScenarioError` if an expectation is malformed; ``Refusal``; errors of the cryptographic library.
    init(
        _ format: Format, of served: ServedScenario, expecting expectations: [String], wallClock: any StoreClock,
        present: (CustomerID, String?) throws -> [String]
    ) async throws {
        let saved = served.savedScenario
        guard format != .scenario || !expectations.isEmpty else {
            self.init("scenario.yaml", type: Self.yaml, saved.text)
            return
        }
        let steps = try Self.steps(expectations, in: served)
        var story = format == .scenario ? saved : try Self.portable(saved)
        var (test, played) = try await Self.play(story, expecting: steps.merged, known: saved, wallClock)
        if Self.addOutcomes(of: played.report, to: &story) > 0 {
            (test, played) = try await Self.play(story, expecting: steps.merged, known: saved, wallClock)
        }
        guard played.report.isMet else {
            throw Refusal(
                heading: "The test would fail: played again, the story does not end as it is here.",
                lines: played.report.failures.prefix(20).map { "expected \($0.expected), found \($0.found)" })
        }
        let name = StoryName(saved.story)
        switch format {
        case .scenario: self.init("scenario.yaml", type: Self.yaml, test.text)
        case .file: self.init("\(name.dashed).yaml", type: Self.yaml, test.text)
        case .folder:
            self.init(
                "\(name.dashed).tar", type: "application/x-tar",
                Self.archive(test, folder: name.dashed, at: wallClock.now))
        case .swift:
            let questions = try await SwiftQuestions(steps.all, in: played.store)
            self.init(
                "\(name.camel)Tests.swift", type: "text/x-swift; charset=utf-8",
                SwiftTestText(name: name, story: test.text, questions: questions).text)
        case .python:
            let checks = try ServedChecks(steps.all, in: served, present: present)
            self.init(
                "test_\(name.snake).py", type: "text/x-python; charset=utf-8",
                PythonTestText(name: name, story: story.text, checks: checks).text)
        case .curl:
            let checks = try ServedChecks(steps.all, in: served, present: present)
            self.init(
                "\(name.dashed).sh", type: "application/x-sh",
                ShellTestText(name: name, story: story.text, checks: checks).text)
        }
    }

    private static let yaml = "application/yaml"

    /// Returns scenario steps that check the expectations.
    ///
    /// `all` has a step for each expectation. `merged` has one step for all expectations of the same signed document.
    private static func steps(
        _ texts: [String], in served: ServedScenario
    ) throws -> (all: [ScenarioStep], merged: [ScenarioStep]) {
        let people = served.store.accounts
        let all = try texts.map { try served.scenario.expectation(typed: $0, people: people) }
        var merged: [ScenarioStep] = []
        var places: [SignedSubject: Int] = [:]
        for step in all {
            guard case .expect(let news) = step.action, case .signed(let signed)? = news.first else {
                merged.append(step)
                continue
            }
            let subject = SignedSubject(reference: signed.reference, person: signed.person, app: step.app)
            guard let place = places[subject], case .expect(var expectations) = merged[place].action else {
                places[subject] = merged.count
                merged.append(step)
                continue
            }
            for case .signed(let more) in news {
                let same = expectations.firstIndex { expectation in
                    if case .signed(let one) = expectation { one.document == more.document } else { false }
                }
                if let same, case .signed(var one) = expectations[same] {
                    one.members += more.members.filter { member in !one.members.contains { $0.name == member.name } }
                    expectations[same] = .signed(one)
                } else {
                    expectations.append(.signed(more))
                }
            }
            merged[place] = ScenarioStep(expecting: expectations, app: step.app)
        }
        return (all, merged)
    }

    /// The signed document that several expectations are about.
    private struct SignedSubject: Hashable {
        let reference: TransactionReference?
        let person: CustomerID?
        let app: String?
    }

    /// Returns a scenario that contains its catalogs, under names without folders.
    private static func portable(_ saved: Scenario) throws(Refusal) -> Scenario {
        var names: [String: String] = [:]
        var files: [String: CatalogFile] = [:]
        for name in saved.catalogs.flatMap(\.self) where names[name] == nil {
            guard let file = saved.catalogFiles[name] else {
                throw Refusal(
                    heading: "The test cannot contain its catalogs.",
                    lines: ["the content of '\(name)' is not known: save the scenario without its catalogs"])
            }
            let base = StoryName.fileName(name)
            var (other, count) = (base, 1)
            // Names are compared in lower case, because some file systems ignore case.
            while files.keys.contains(where: { $0.lowercased() == other.lowercased() }) {
                count += 1
                other = "\(count)-\(base)"
            }
            names[name] = other
            files[other] = CatalogFile(name: other, bytes: file.bytes)
        }
        var portable = saved
        portable.catalogs = saved.catalogs.map { $0.map { names[$0] ?? $0 } }
        portable.catalogFiles = files
        portable.embeddedCatalogs = Set(files.keys)
        return portable
    }

    /// Plays the scenario of a story, followed by steps that check expectations.
    ///
    /// The scenario is first written and read again, so that exactly the text of the test is played.
    private static func play(
        _ story: Scenario, expecting expectations: [ScenarioStep], known saved: Scenario, _ wallClock: any StoreClock
    ) async throws -> (test: Scenario, played: ScenarioRunner) {
        var test = story
        test.steps += expectations
        do {
            let written = try Scenario(reading: test.text, file: "the story") { name in
                guard let file = saved.catalogFiles[name] else { throw MissingFile() }
                return file
            }
            var runner = try await ScenarioRunner(written, wallClock: wallClock)
            _ = try await runner.run()
            return (test, runner)
        } catch let error as ScenarioError {
            throw Refusal(heading: "The story cannot be saved as a test.", lines: error.all.map(\.description))
        }
    }

    private struct MissingFile: Error {}

    /// Adds the expected outcome to each purchase that the App Store refused.
    ///
    /// Without an expected outcome, a refused purchase makes the test fail.
    ///
    /// - Returns: The number of refused purchases.
    static func addOutcomes(of report: ScenarioReport, to story: inout Scenario) -> Int {
        // The entries of the report are in the order of the scenario's steps.
        var (step, count) = (-1, 0)
        for entry in report.entries {
            switch entry.content {
            case .step: step += 1
            case .expectation(isMet: false, _, let found)
            where found.hasPrefix("failed ") && story.steps.indices.contains(step) && story.steps[step].outcome == nil:
                story.steps[step].outcome = found
                count += 1
            default: break
            }
        }
        return count
    }

    /// Returns a tar archive of a folder with a scenario and its catalogs.
    private static func archive(_ scenario: Scenario, folder: String, at instant: Instant) -> [UInt8] {
        var scenario = scenario
        scenario.embeddedCatalogs = []
        var archive = TarArchive(modifiedAt: instant.millisecondsSince1970 / 1000)
        archive.append(Array(scenario.text.utf8), at: "\(folder)/scenario.yaml")
        for (name, file) in scenario.catalogFiles.sorted(by: { $0.key < $1.key }) {
            archive.append(file.bytes, at: "\(folder)/\(name)")
        }
        return archive.bytes
    }
}

extension ServedScenario {
    /// The scenario that reproduces the story so far, with the embedded catalogs of the loaded scenario.
    var savedScenario: Scenario {
        var saved = saved
        saved.embeddedCatalogs = scenario.embeddedCatalogs
        return saved
    }
}
