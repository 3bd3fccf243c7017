import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperSimulator

/// What holds for every story, whoever tells it.
struct StoryLawTests {
    @Test("A command that is refused has changed nothing")
    func refusals() {
        check("a refused command changes nothing", cases: 40) { story in
            var world = story.makeWorld()
            for step in story.steps {
                let before = world
                guard let refusal = world.play(step) else { continue }
                guard world.isUnchanged(since: before) else {
                    throw StoryBreach("\(step) was refused (\(refusal)) and has changed something")
                }
            }
        }
    }

    @Test("After every step of every story the world is sound")
    func invariants() {
        check("the world is sound after every step", cases: 120) { story in
            var world = story.makeWorld()
            var reader = InvariantReader()
            for (place, step) in story.steps.enumerated() {
                world.play(step)
                let findings = reader.findings(in: world)
                if !findings.isEmpty { throw StoryBreach("after step \(place), \(step): \(findings)") }
            }
        }
    }

    @Test("Every chain of transactions is lawful: no overlap, and no gap but where a rule makes one")
    func chains() {
        check("chains are lawful", cases: 120) { story in
            let findings = story.makeWorld().playing(story).chainFindings()
            if !findings.isEmpty { throw StoryBreach("\(findings)") }
        }
    }

    @Test("Advancing by a and b together is the same as by a, then by b", arguments: [2, 7] as [Int64])
    func parts(_ parts: Int64) {
        check("time in \(parts) parts is time at once", cases: 40) { story in
            let (whole, cut) = (
                story.makeWorld().playing(story).picture,
                story.makeWorld().playing(story, waitingInParts: parts).picture
            )
            if let (one, other) = zip(whole, cut).first(where: { $0 != $1 }) {
                throw StoryBreach("at once:  \(one)\nin parts: \(other)")
            }
            if whole.count != cut.count { throw StoryBreach("\(whole.count) lines at once, \(cut.count) in parts") }
        }
    }

    @Test("Stopping at each event on the way is the same as one jump")
    func eventByEvent() {
        check("time event by event is time at once", cases: 40) { story in
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
            if whole.picture != stepped.picture { throw StoryBreach("the stories differ") }
        }
    }

    @Test("The same commands give the same bytes")
    func replay() {
        check("the same commands give the same bytes", cases: 40) { story in
            let (first, second) = (story.makeWorld().playing(story), story.makeWorld().playing(story))
            if first.picture != second.picture { throw StoryBreach("the stories differ") }
        }
    }

    @Test("What was signed once is signed the same for ever")
    func signedIsSigned() {
        check("what was signed stays what it was", cases: 40) { story in
            var world = story.makeWorld()
            for step in story.steps.prefix(story.steps.count / 2) { world.play(step) }
            let (transactions, renewals) = (world.transactionPayloads, world.renewalPayloads)
            for step in story.steps.dropFirst(story.steps.count / 2) { world.play(step) }
            for (then, now) in zip(
                transactions + renewals,
                Array(world.transactionPayloads.prefix(transactions.count))
                    + world.renewalPayloads.prefix(renewals.count)) where then != now
            {
                throw StoryBreach("then: \(then)\nnow:  \(now)")
            }
        }
    }

    @Test("The engine reads of the evidence what the simulator knows of each subscription")
    func statuses() {
        check("the engine sees the phase of every subscription", cases: 40) { story in
            var world = story.makeWorld()
            for (place, step) in story.steps.enumerated() {
                world.play(step)
                guard place % 4 == 3 || place == story.steps.count - 1 else { continue }
                let findings = try world.findingsOfEngine()
                if !findings.isEmpty { throw StoryBreach("after step \(place), \(step): \(findings)") }
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

/// What a story has shown to be wrong.
struct StoryBreach: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
