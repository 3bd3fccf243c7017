import StorekeeperTesting
import Testing

struct StoreStateMachineTests {
    private func breach(of commands: [StoreCommand]) async -> String? {
        do {
            try await StoreTrial.run(commands)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test("Whatever happens, in any order: nothing acknowledged is lost, nothing counts twice, no event is made up")
    func laws() async {
        let settings = PropertySettings.environment
        for position in 0..<(settings.cases ?? 60) {
            let seed = (settings.seed ?? PropertySettings.defaultSeed) &+ UInt64(position)
            var random = SplitMix64(seed: seed)
            var commands = (0..<random.number(in: 5...40)).map { _ in StoreCommand.make(with: &random) }
            guard var reason = await breach(of: commands) else { continue }
            var index = 0
            while index < commands.count {
                var simpler = commands
                simpler.remove(at: index)
                if let next = await breach(of: simpler) {
                    (commands, reason) = (simpler, next)
                } else {
                    index += 1
                }
            }
            Issue.record("\(reason)\n\(commands)\nTo see it again: STOREKEEPER_SEED=\(seed) STOREKEEPER_CASES=1")
            return
        }
    }
}
