import FoundationEssentials
import Storekeeper
import StorekeeperTesting

@testable import StorekeeperSimulator

/// One step of a generated story.
enum StoryStep: Hashable, Sendable {
    /// A command, which the store may refuse.
    case call(SimulatorCall)
    /// Time passes, in milliseconds.
    case wait(Int64)
    /// A guardian answers the newest purchase that waits for Ask to Buy.
    case answerGuardian(Bool)
}

/// Random events at a simulated App Store.
struct GeneratedStory: Sendable {
    var environment: AppStore.Environment
    var start: Instant
    var steps: [StoryStep]

    static let people: [CustomerID] = ["anna", "bert", "cleo", "dora"]
    static let apps = ["com.example.game", "com.example.notes"]

    /// Makes a story of some steps that begins with four people who have accounts.
    static func make(_ random: inout SplitMix64, steps: ClosedRange<Int> = 10...45) -> GeneratedStory {
        // Calendar errors are most likely on the last days of months and of February.
        let start = random.pick(
            "2026-01-31T12:00:00Z", "2024-02-29T23:59:59.999Z", "2025-12-31T00:00:00Z", "2026-06-15T08:30:00Z")
        var story = GeneratedStory(
            environment: random.pick(.sandbox, .production, .xcode), start: SampleStore.day(start), steps: [])
        for person in people.dropLast() {
            // Some storefronts sell monthly plans, and some do not.
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

    /// Smaller stories: without a part of the steps, without one step, or with shorter waits.
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
        // Waits are shortened only in short stories, because a long story has many waits.
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

    /// The steps of the story as text.
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
    /// Returns the calls of a step in the current world; none if the step has nothing to do.
    ///
    /// A long wait is shortened, so that it renews a subscription at most about 200 times.
    ///
    /// - Parameter parts: The number of parts into which a wait is split.
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
    /// - Returns: The error if the step was refused.
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
    /// Carries out a step as far as possible.
    func play(_ step: StoryStep) {
        for call in read({ $0.calls(for: step) }) { _ = try? perform(call) }
    }
}
