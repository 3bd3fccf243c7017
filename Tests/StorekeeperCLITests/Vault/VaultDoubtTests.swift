import Storekeeper
import Testing

@testable import StorekeeperCLI

/// The message about a commit in doubt, whose answer was lost.
@Suite struct VaultDoubtTests {
    @Test("A commit in doubt is reported as an unreachable server, with the advice to repeat it")
    func inDoubt() throws {
        let place = try VaultPlace(argument: "postgres://localhost/game")
        let error = CommandError(VaultError(.inDoubt, "the connection was lost"), of: place, isReading: false)
        #expect(error.status == .unreachableService)
        #expect(error.status.rawValue == 69)
        #expect(error.description.contains("repeat it with the same key; repeating is safe"))
    }

    @Test("A commit in doubt is looked up for ten seconds, or as long as --patience says")
    func patience() throws {
        func patience(of place: VaultPlace) -> Duration? {
            if case .database(_, _, let patience) = place { patience } else { nil }
        }
        let address = "postgres://localhost/game"
        #expect(patience(of: try VaultPlace(argument: address)) == .seconds(10))
        #expect(patience(of: try VaultPlace(argument: address, patience: .seconds(3))) == .seconds(3))
    }
}
