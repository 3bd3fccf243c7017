import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

/// Tests of properties that every generated story must have.
struct StoryLawTests {
    @Test("A refused command changes nothing")
    func refusals() {
        check("a refused command changes nothing", cases: 40) { story in
            var world = story.makeWorld()
            for step in story.steps {
                let before = world
                guard let refusal = world.play(step) else { continue }
                guard world.isUnchanged(since: before) else {
                    throw StoryFailure("\(step) was refused (\(refusal)) but changed the world")
                }
            }
        }
    }

    @Test("The world is valid after every step of every story")
    func invariants() {
        check("the world is valid after every step", cases: 120) { story in
            var world = story.makeWorld()
            var reader = InvariantReader()
            for (place, step) in story.steps.enumerated() {
                world.play(step)
                let findings = reader.findings(in: world)
                if !findings.isEmpty { throw StoryFailure("after step \(place), \(step): \(findings)") }
            }
        }
    }

    @Test("Periods of a chain do not overlap, and have gaps only where a rule causes them")
    func chains() {
        check("periods of chains are valid", cases: 120) { story in
            let findings = story.makeWorld().playing(story).chainFindings()
            if !findings.isEmpty { throw StoryFailure("\(findings)") }
        }
    }

    @Test("Advancing in parts gives the same result as advancing at once", arguments: [2, 7] as [Int64])
    func parts(_ parts: Int64) {
        check("advancing in \(parts) parts equals advancing at once", cases: 40) { story in
            let (whole, cut) = (
                story.makeWorld().playing(story).picture,
                story.makeWorld().playing(story, waitingInParts: parts).picture
            )
            if let (one, other) = zip(whole, cut).first(where: { $0 != $1 }) {
                throw StoryFailure("at once:  \(one)\nin parts: \(other)")
            }
            if whole.count != cut.count { throw StoryFailure("\(whole.count) lines at once, \(cut.count) in parts") }
        }
    }

    @Test("Stopping at each event gives the same result as one advance")
    func eventByEvent() {
        check("advancing event by event equals advancing at once", cases: 40) { story in
            var (whole, stepped) = (story.makeWorld(), story.makeWorld())
            for step in story.steps {
                whole.play(step)
                if case .wait = step {
                    while let next = stepped.nextEvent, next <= whole.now { try stepped.advance(to: next) }
                    try stepped.advance(to: whole.now)
                } else {
                    stepped.play(step)
                }
            }
            if whole.picture != stepped.picture { throw StoryFailure("the stories differ") }
        }
    }

    @Test("The same commands give the same bytes")
    func replay() {
        check("the same commands give the same bytes", cases: 40) { story in
            let (first, second) = (story.makeWorld().playing(story), story.makeWorld().playing(story))
            if first.picture != second.picture { throw StoryFailure("the stories differ") }
        }
    }

    @Test("A signed text never changes")
    func signedIsSigned() {
        check("signed texts never change", cases: 40) { story in
            var world = story.makeWorld()
            for step in story.steps.prefix(story.steps.count / 2) { world.play(step) }
            let (transactions, renewals) = (world.transactionPayloads, world.renewalPayloads)
            for step in story.steps.dropFirst(story.steps.count / 2) { world.play(step) }
            for (then, now) in zip(
                transactions + renewals,
                Array(world.transactionPayloads.prefix(transactions.count))
                    + world.renewalPayloads.prefix(renewals.count)) where then != now
            {
                throw StoryFailure("then: \(then)\nnow:  \(now)")
            }
        }
    }

    @Test("The engine's status of each subscription agrees with the simulator")
    func statuses() {
        check("the engine's status agrees with the phase of every subscription", cases: 40) { story in
            var world = story.makeWorld()
            for (place, step) in story.steps.enumerated() {
                world.play(step)
                guard place % 4 == 3 || place == story.steps.count - 1 else { continue }
                let findings = try world.findingsOfEngine()
                if !findings.isEmpty { throw StoryFailure("after step \(place), \(step): \(findings)") }
            }
        }
    }

    private func check(
        _ name: String, cases: Int, sourceLocation: SourceLocation = #_sourceLocation,
        holds: (GeneratedStory) throws -> Void
    ) {
        checkProperty(
            name, cases: cases, sourceLocation: sourceLocation, generate: { GeneratedStory.make(&$0) },
            shrink: \.smaller, describe: \.description
        ) { story in
            try holds(story)
            return true
        }
    }
}

/// A violated property of a story.
struct StoryFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
