import Storekeeper
import StorekeeperSimulator

extension SimulateCommand {
    /// Runs a scenario, or opens an empty store with catalogs, and then executes the commands that the user types.
    func runInteractively(from beginning: Instant?, on console: Console) async throws(CommandError) -> ExitStatus {
        guard vault == nil, format == .text else {
            throw .usage(
                "--interactive cannot be combined with --vault or another format", at: "storekeeper simulate",
                "save the story and run it again")
        }
        guard !scenarios.contains(InputFile.standardInputName) else {
            throw .usage("commands are read from standard input", at: "storekeeper simulate", "name a file")
        }
        let (path, read) = try ScenarioFolder.stage(scenarios, story: "An App Store at the terminal")
        var scenario: Scenario
        switch read {
        case .success(let found): scenario = found
        case .failure(let fault):
            for error in fault.errors { console.errors.line(error.description) }
            return fault.status
        }
        if let beginning { scenario.start = beginning }
        do {
            var conversation = try await InteractiveSession(scenario, path: path, seed: seed, on: console)
            try await conversation.run()
            try write(conversation.runner)
            return conversation.runner.report.isMet ? .success : .no
        } catch let error as CommandError {
            throw error
        } catch {
            throw Self.cannotStart(error, at: scenarios.first ?? "simulate")
        }
    }
}
