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
        let (path, read) = try stage()
        let scenario: Scenario
        switch read {
        case .success(let found): scenario = found
        case .failure(let fault):
            for error in fault.errors { console.errors.line(error.description) }
            return fault.status
        }
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

    /// The scenario that is named, or one without steps on the catalogs that are.
    private func stage() throws(CommandError) -> (path: String, Result<Scenario, ScenarioFolder.Fault>) {
        if let path = scenarios.first, path.hasSuffix(".yaml") || path.hasSuffix(".yml") {
            guard scenarios.count == 1 else {
                throw .usage("one scenario can be played on", at: "storekeeper simulate", "name one file")
            }
            return (path, ScenarioFolder.read(path))
        }
        let catalogs = scenarios.map { JSONText.string($0).text() }.joined(separator: ", ")
        let text = "story: An App Store at the terminal\ncatalog: [\(catalogs)]\npeople: [customer]\nsteps: []\n"
        // What is wrong with a catalog is told of the catalog, not of a scenario that nobody has written.
        for path in scenarios where ScenarioFolder.files(in: path) != nil {
            throw CommandError(.usage, "a folder is no scenario and no catalog", at: path, "name a file")
        }
        try InputFile.check(scenarios)
        return ("scenario.yaml", ScenarioFolder.read(text, path: "scenario.yaml"))
    }
}
