import Storekeeper
import Testing

@testable import StorekeeperCLI

/// What a command says of a commit whose answer was lost with the server.
@Suite struct VaultDoubtTests {
    @Test("A commit in doubt is a server that cannot be reached, and asking again is safe")
    func inDoubt() throws {
        let place = try VaultPlace(argument: "postgres://localhost/game")
        let error = CommandError(VaultError(.inDoubt, "the connection was lost"), of: place, isReading: false)
        #expect(error.status == .unreachableService)
        #expect(error.status.rawValue == 69)
        #expect(error.description.contains("repeat it with the same key; repeating is safe"))
    }

    @Test("A commit is looked for ten seconds, or as long as --patience says")
    func patience() throws {
        func patience(of place: VaultPlace) -> Duration? {
            if case .database(_, _, let patience) = place { patience } else { nil }
        }
        let address = "postgres://localhost/game"
        #expect(patience(of: try VaultPlace(argument: address)) == .seconds(10))
        #expect(patience(of: try VaultPlace(argument: address, patience: .seconds(3))) == .seconds(3))
    }
}
