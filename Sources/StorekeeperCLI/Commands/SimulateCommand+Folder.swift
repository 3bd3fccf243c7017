import Storekeeper
import StorekeeperSimulator

extension SimulateCommand {
    /// The result of one of several scenarios.
    fileprivate enum ScenarioOutcome {
        case story(ScenarioStory)
        case broken(ScenarioFolder.Fault)
    }

    /// Runs several scenarios.
    ///
    /// An unreadable scenario does not prevent the other scenarios from running.
    func playAll(_ paths: [String], from beginning: Instant?, on console: Console) async -> ExitStatus {
        let bar = ProgressBar("Playing", of: paths.count, unit: "scenarios", on: console)
        var plays: [(path: String, play: ScenarioOutcome)] = []
        for path in paths {
            plays.append((path, await play(path, from: beginning)))
            bar.advance()
        }
        bar.end()
        switch format {
        case .json: console.output.json(Self.document(plays), .pretty)
        default: printSummaries(plays, on: console)
        }
        let faults = plays.compactMap { if case .broken(let fault) = $0.play { fault } else { nil } }
        if let fault = faults.first(where: { $0.status == .malformedInput }) ?? faults.first { return fault.status }
        return plays.allSatisfy(\.play.isMet) ? .success : .no
    }

    private func play(_ path: String, from beginning: Instant?) async -> ScenarioOutcome {
        switch ScenarioFolder.read(path) {
        case .failure(let fault): return .broken(fault)
        case .success(var scenario):
            if let beginning { scenario.start = beginning }
            do {
                var runner = try await ScenarioRunner(scenario, seed: seed)
                _ = try await runner.run()
                return .story(ScenarioStory(runner.report, isOnePerson: scenario.people.count <= 1))
            } catch {
                return .broken(ScenarioFolder.Fault([Self.cannotStart(error, at: path)]))
            }
        }
    }

    private static func document(_ plays: [(path: String, play: ScenarioOutcome)]) -> JSONText {
        let met = plays.count { $0.play.isMet }
        let scenarios = plays.map { path, play -> JSONText in
            switch play {
            case .story(let story): story.summary
            case .broken(let fault):
                .object([
                    "file": .string(path),
                    "errors": .array(
                        fault.errors.map { error in
                            .object([
                                "location": .string(error.place), "message": .string(error.what),
                                "remedy": .string(error.advice),
                            ])
                        }),
                ])
            }
        }
        return .object([
            "scenarios": .array(scenarios), "met": .whole(met), "failed": .whole(plays.count - met),
        ])
    }

    private func printSummaries(_ plays: [(path: String, play: ScenarioOutcome)], on console: Console) {
        var table = TextTable("SCENARIO", "RESULT", "CHECKS", "STORY")
        table.widthReductions = [.drop("CHECKS"), .drop("STORY")]
        var failures: [String] = []
        for (path, play) in plays {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            switch play {
            case .story(let story):
                table.add(
                    name, play.isMet ? "ok" : "FAILED", String(story.report.expectationCount), story.report.story)
                failures += story.failureLines
            case .broken(let fault):
                let count = fault.errors.count
                table.add(name, "BROKEN", "", count.of("mistake"))
                for error in fault.errors { console.errors.line(error.description) }
            }
        }
        let style = console.style
        let lines = table.lines(style, width: console.columns, painting: 1) {
            $1 == "ok" ? style.green($0) : style.red($0)
        }
        for line in lines { console.output.line(line) }
        console.output.line("")
        for line in failures.flatMap({ $0.wrapped(to: console.columns, indent: "  ") }) {
            console.output.line(style.red(line))
        }
        let broken = plays.count { if case .broken = $0.play { true } else { false } }
        let failed = plays.count { !$0.play.isMet } - broken
        var sum = plays.count.of("scenario")
        if failed == 0, broken == 0 { sum += ", all met their expectations" }
        if failed > 0 { sum += ", \(failed) failed" }
        if broken > 0 { sum += ", \(broken) unreadable" }
        console.output.line(sum)
    }
}

extension SimulateCommand.ScenarioOutcome {
    fileprivate var isMet: Bool {
        if case .story(let story) = self { story.report.isMet } else { false }
    }
}
