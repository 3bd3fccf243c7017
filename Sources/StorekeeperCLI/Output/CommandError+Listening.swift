import StorekeeperCompanion
import StorekeeperLocalStore
import StorekeeperPages

extension CommandError {
    /// Creates the error for a server that cannot listen, or that stopped serving.
    init(serving error: any Error, at address: ListenAddress) {
        let (what, advice) =
            switch ListeningFault(error) {
            case .portInUse:
                (
                    "another program uses this port",
                    "stop that program, or choose another port with --port N; --port 0 chooses a free one"
                )
            case .notPermitted:
                ("using this port is not permitted", "choose a port of 1024 or more with --port N")
            case .foreignAddress:
                ("this machine does not have this address", "name one of its own addresses with --host ADDRESS")
            case .unknownHost:
                ("this name has no address", "correct it, or name an address of this machine with --host ADDRESS")
            case nil:
                ("serving failed: \(error)", "run it again; see the log for earlier errors")
            }
        self.init(.unreachableService, what, at: address.name, advice)
    }
}
