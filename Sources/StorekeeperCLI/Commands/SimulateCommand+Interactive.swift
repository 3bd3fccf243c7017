import Storekeeper
import StorekeeperSimulator

extension SimulateCommand {
    /// Plays a scenario, or opens an empty store on catalogs, and does what is typed.
    func converse(from beginning: Instant?, on console: Console) async throws(CommandError) -> ExitStatus {
        guard vault == nil, format == .text else {
            throw .usage(
                "--interactive goes neither with --vault nor with another format", at: "storekeeper simulate",
                "save the story and play it again")
        }
        guard !scenarios.contains(InputFile.standardInputName) else {
            throw .usage("standard input is where commands are read", at: "storekeeper simulate", "name a file")
        }
        let (path, read) = try ScenarioFolder.stage(scenarios)
        var scenario: Scenario
        switch read {
        case .success(let found): scenario = found
        case .failure(let fault):
            for error in fault.errors { console.errors.line(error.description) }
            return fault.status
        }
        if let beginning { scenario.start = beginning }
        do {
            var conversation = try await Conversation(scenario, path: path, seed: seed, on: console)
            try await conversation.run()
            try write(conversation.runner)
            return conversation.runner.report.isMet ? .success : .no
        } catch let error as CommandError {
            throw error
        } catch {
            throw Self.cannotBegin(error, at: scenarios.first ?? "simulate")
        }
    }
}
