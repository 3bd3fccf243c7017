import Storekeeper
import StorekeeperTesting
import Testing

@testable import StorekeeperCLI

/// Tests of the message about a commit whose outcome is unknown, because the server's answer was lost.
@Suite(.system) struct VaultUncertainCommitTests {
    @Test("A commit in doubt is reported as an unreachable server, with the advice to repeat it")
    func inDoubt() throws {
        let place = try VaultLocation(argument: "postgres://localhost/game")
        let error = CommandError(VaultError(.inDoubt, "the connection was lost"), of: place, isReading: false)
        #expect(error.status == .unreachableService)
        #expect(error.status.rawValue == 69)
        #expect(error.description.contains("repeat it with the same key; repeating is safe"))
    }

    @Test("A commit in doubt is looked up for ten seconds, or as long as --patience says")
    func patience() throws {
        func patience(of place: VaultLocation) -> Duration? {
            if case .database(_, _, let patience) = place { patience } else { nil }
        }
        let address = "postgres://localhost/game"
        #expect(patience(of: try VaultLocation(argument: address)) == .seconds(10))
        #expect(patience(of: try VaultLocation(argument: address, patience: .seconds(3))) == .seconds(3))
    }
}
