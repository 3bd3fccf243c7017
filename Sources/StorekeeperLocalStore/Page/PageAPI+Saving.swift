import Storekeeper
import StorekeeperSimulator

extension PageAPI {
    /// The result of the form that saves a test.
    enum SavingResult {
        /// The test was made and can be downloaded.
        case test(SavedTest)
        /// The test cannot be saved; `page` is the HTML of the page that shows the reason.
        case refused(page: String)
    }

    /// Returns a test that replays the story up to the current step and checks the ticked expectations.
    ///
    /// - Throws: An error if the page cannot be made.
    func save(_ query: QueryValues) async throws -> SavingResult {
        let format = query.value("format").flatMap(SavedTest.Format.init) ?? .file
        func refused(_ heading: String, _ lines: [String]) throws -> SavingResult {
            var location = PageLocation(query.items)
            location.view = .scenario
            return .refused(page: try page(location, failure: .init(heading: heading, lines: lines)).text)
        }
        do {
            return .test(try await local.savedTest(format, expecting: query.values("expect").filter { !$0.isEmpty }))
        } catch let refusal as SavedTest.Refusal {
            return try refused(refusal.heading, refusal.lines)
        } catch let error as ScenarioError {
            // The page may name customers or products that have changed since the page was made.
            return try refused("The test cannot be saved.", error.all.map(\.message))
        } catch {
            return try refused("The test cannot be saved.", ["\(error)"])
        }
    }
}
