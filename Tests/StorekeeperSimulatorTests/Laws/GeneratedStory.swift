import FoundationEssentials
import Storekeeper
import StorekeeperTesting

@testable import StorekeeperSimulator

/// One step of a generated story.
enum StoryStep: Hashable, Sendable {
    /// A command, possible or not.
    case call(SimulatorCall)
    /// Time passes, in milliseconds.
    case wait(Int64)
    /// The newest purchase that waits for a guardian is answered.
    case answerGuardian(Bool)
}

/// What happens at a simulated App Store, made by chance.
struct GeneratedStory: Sendable {
    var environment: AppStore.Environment
    var start: Instant
    var steps: [StoryStep]

    static let people: [CustomerID] = ["anna", "bert", "cleo", "dora"]
    static let apps = ["com.example.game", "com.example.notes"]

    /// A story of some steps, begun by four people who have accounts.
    static func make(_ random: inout SplitMix64, steps: ClosedRange<Int> = 10...45) -> GeneratedStory {
        // The last days of months and of February are where calendars go wrong.
        let start = random.pick(
            "2026-01-31T12:00:00Z", "2024-02-29T23:59:59.999Z", "2025-12-31T00:00:00Z", "2026-06-15T08:30:00Z")
        var story = GeneratedStory(
            environment: random.pick(.sandbox, .production, .xcode), start: SampleStore.day(start), steps: [])
        for person in people.dropLast() {
            // Where monthly plans are sold, and where they are not.
            story.steps.append(.call(SimulatorCall(.createAccount(person, storefront: random.pick(nil, "DEU")))))
        }
        var writer = StoryWriter(isFast: random.chance(20))
        if writer.isFast {
            story.steps.append(.call(SimulatorCall(.setSetting(.pace(StoryWriter.pace(&random))))))
        }
        let grace = random.pick(nil, GracePeriodLength.days3, .days16, .days28)
        story.steps.append(.call(SimulatorCall(.setSetting(.billingGracePeriod(grace)))))
        if random.chance(30) {
            story.steps.append(.call(SimulatorCall(.createFamily(organizer: "anna"))))
            story.steps.append(.call(SimulatorCall(.joinFamily("bert", of: "anna"))))
        }
        if random.chance(50) { story.steps.append(.call(SimulatorCall(.setSetting(.grantsRefundRequests(false))))) }
        for _ in 0..<random.number(in: steps) { story.steps.append(writer.step(&random)) }
        return story
    }

    /// The same story with less in it: without a part, without a step, with shorter waits.
    var smaller: [GeneratedStory] {
        var stories: [GeneratedStory] = []
        var length = steps.count / 2
        while length > 0 {
            for start in stride(from: 0, to: steps.count, by: length) {
                var story = self
                story.steps.removeSubrange(start..<min(start + length, steps.count))
                stories.append(story)
            }
            length /= 2
        }
        // Waits are shortened last: there are many of them in a long story.
        guard steps.count <= 12 else { return stories }
        for (place, step) in steps.enumerated() {
            guard case .wait(let time) = step, time > 0 else { continue }
            for shorter in [0, time / 2, time / 86_400_000 * 86_400_000, time - 1] where shorter != time {
                var story = self
                story.steps[place] = .wait(shorter)
                stories.append(story)
            }
        }
        return stories
    }

    func makeWorld(seed: UInt64 = 1) -> World {
        World(
            apps: Self.apps.map { SimulatedApp(bundleID: $0, catalog: SampleStore.catalog) }, environment: environment,
            seed: seed, start: start)
    }

    /// The story as subscriptions of Swift.
    var description: String {
        ["\(environment.rawValue), from \(start)"].joined() + "\n"
            + steps.map { step in
                switch step {
                case .call(let call): "  \(call.app.map { $0 + ": " } ?? "")\(call.command)"
                case .wait(let time): "  wait \(time) ms"
                case .answerGuardian(let isApproved): "  guardian: \(isApproved)"
                }
            }.joined(separator: "\n")
    }
}

extension World {
    /// The calls that a step makes as things stand; none where it has nothing to do.
    ///
    /// A wait is cut where it would renew a subscription some hundred times.
    ///
    /// - Parameter parts: Into how many parts waits are cut.
    func calls(for step: StoryStep, waitingInParts parts: Int64 = 1) -> [SimulatorCall] {
        switch step {
        case .call(let call): return [call]
        case .answerGuardian(let isApproved):
            guard let transaction = waiting.keys.max() else { return [] }
            let command: SimulatorCommand =
                isApproved ? .approveAskToBuy(id(of: transaction)) : .declineAskToBuy(id(of: transaction))
            return [SimulatorCall(command, app: app(of: transactions[transaction].download).bundleID)]
        case .wait(let time):
            let weeks = apps.map {
                $0.settings.pace.periodEnd(of: .week, anchor: now, count: 1).milliseconds(since: now)
            }
            let time = min(time, (weeks.min() ?? time) * 200)
            return (1...max(1, parts)).map { part in
                let passed = part == parts ? time : time / parts * part
                return SimulatorCall(.advance(to: now.adding(milliseconds: passed)))
            }
        }
    }

    /// Carries out a step.
    ///
    /// - Returns: The refusal, where the step was refused.
    @discardableResult
    mutating func play(_ step: StoryStep, waitingInParts parts: Int64 = 1) -> SimulatorError? {
        do throws(SimulatorError) {
            for call in calls(for: step, waitingInParts: parts) { try perform(call) }
            return nil
        } catch {
            return error
        }
    }

    /// Carries out a story.
    func playing(_ story: GeneratedStory, waitingInParts parts: Int64 = 1) -> World {
        var world = self
        for step in story.steps { world.play(step, waitingInParts: parts) }
        return world
    }
}

extension SimulatedAppStore {
    /// Carries out a step, as far as it can be done.
    func play(_ step: StoryStep) {
        for call in read({ $0.calls(for: step) }) { _ = try? perform(call) }
    }
}
