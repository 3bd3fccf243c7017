import ArgumentParser
import StorekeeperPages

/// The options of all commands that listen at an address.
struct ListeningOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The port; 0 chooses a free one. Default: 8080.", valueName: "n"))
    var port: Int?

    @Option(name: .long, help: ArgumentHelp("The address to listen at. Default: 127.0.0.1.", valueName: "address"))
    var host: String?

    @Flag(name: .long, help: "Accept requests from other machines, with --host; only 'serve' asks them for a key.")
    var allowRemote = false

    /// The address to listen at.
    var address: ListenAddress { ListenAddress(host: host ?? "127.0.0.1", port: port ?? 8080) }

    /// Checks that the port is valid, and that `--allow-remote` is given if other machines can send requests.
    func check() throws(CommandError) {
        guard (0...65_535).contains(address.port) else {
            throw .usage("\(address.port) is not a port", at: "--port", "use 0 to 65535")
        }
        guard address.isLoopback || allowRemote else {
            throw .usage(
                "other machines could send requests here", at: "--host \(address.host)",
                "use 127.0.0.1, or add --allow-remote")
        }
    }
}
