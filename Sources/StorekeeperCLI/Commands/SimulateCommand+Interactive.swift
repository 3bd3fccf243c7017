import Storekeeper
import StorekeeperSimulator

extension SimulateCommand {
    /// Plays a scenario, or opens an empty store on catalogs, and does what is typed.
    func converse(on console: Console) async throws(CommandError) -> ExitStatus {
        guard vault == nil, format == .text else {
            throw .usage(
                "--interactive goes neither with --vault nor with another format", at: "storekeeper simulate",
                "save the story and play it again")
        }
        guard !scenarios.contains(InputFile.standardInputName) else {
            throw .usage("standard input is where commands are read", at: "storekeeper simulate", "name a file")
        }
        let scenario = try stage()
        do {
            var conversation = try await Conversation(scenario, seed: seed, on: console)
            try await conversation.run()
            try write(conversation.runner)
            return conversation.runner.report.isMet ? .success : .no
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.malformedInput, "the story cannot begin: \(error)", at: "simulate", "correct it")
        }
    }

    /// The scenario that is named, or one without steps on the catalogs that are.
    private func stage() throws(CommandError) -> Scenario {
        if let path = scenarios.first, path.hasSuffix(".yaml") || path.hasSuffix(".yml") {
            guard scenarios.count == 1 else {
                throw .usage("one scenario can be played on", at: "storekeeper simulate", "name one file")
            }
            return try ScenarioFolder.scenario(at: path)
        }
        let catalogs = scenarios.map { JSONText.string($0).text() }.joined(separator: ", ")
        let text = "story: An App Store at the terminal\ncatalog: [\(catalogs)]\npeople: [customer]\nsteps: []\n"
        return try ScenarioFolder.scenario(text, path: "scenario.yaml")
    }
}
