import Storekeeper

/// A Swift test that replays a story.
struct SwiftTestText: Sendable {
    let name: StoryName
    /// The text of the scenario, which includes its catalogs and expectations.
    let story: String
    let questions: SwiftQuestions

    /// The text of the file.
    var text: String {
        """
        // \(name.title)
        //
        // A story that was saved from a local App Store. Put this file into a test target that depends on the libraries
        // Storekeeper and StorekeeperSimulator.
        import Storekeeper
        import StorekeeperSimulator
        import Testing

        struct \(name.camel)Tests {
            /// Plays the story.
            private func play() async throws -> ScenarioRunner {
                var runner = try await ScenarioRunner(try Scenario(reading: Self.story))
                _ = try await runner.run()
                return runner
            }

            @Test("The story ends as expected")
            func story() async throws {
                for failure in try await play().report.failures {
                    Issue.record("line \\(failure.line): expected \\(failure.expected), found \\(failure.found)")
                }
            }
        \(functions)
            /// The scenario, with its catalogs.
            private static let story = \(SourceText.swiftLines(story, indent: "        "))
        }

        """
    }

    private var functions: String {
        let names = StoryName.unique(questions.customers.map(\.customer.name.rawValue)) { $0.camel }
        return zip(questions.customers, names).map { entry, name in
            let (customer, lines) = entry
            let app = customer.app.map { ", app: \(SourceText.swift($0))" } ?? ""
            let session =
                "SimulatedSession(customer: \(SourceText.swift(customer.name.rawValue)), in: runner.store\(app))"
            return """

                    @Test(\(SourceText.swift("An app that opens at the end gives \(customer.name.rawValue) these answers")))
                    func answersAbout\(name)() async throws {
                        let runner = try await play()
                        let session = try \(session)
                        let store = try await session.openStore().store
                        try await store.sync()
                \(lines.map { "        \($0)\n" }.joined())    }

                """
        }.joined()
    }
}
