public import ArgumentParser
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import Synchronization

/// Whether somebody is asked if certificates were revoked.
struct RevocationOptions: ParsableArguments {
    static let help = ArgumentHelp(
        "Ask whether certificates were revoked: soft tolerates a responder that does not answer, hard refuses what is "
            + "unknown. Default: off.", valueName: "off|soft|hard")

    @Option(name: .long, help: Self.help)
    var revocation: RevocationPolicy = .off
}

extension RevocationPolicy: ExpressibleByArgument {}

extension OCSPChecker {
    /// A checker that asks over some connections; `nil` for the policy that asks nobody.
    convenience init?(
        _ policy: RevocationPolicy, over connections: HTTPConnections,
        report: @escaping @Sendable (RevocationReport) -> Void
    ) {
        guard policy != .off else { return nil }
        self.init(
            Configuration(policy: policy), transport: HTTPOCSPTransport(connections),
            time: RevocationTime(WallClock()), report: report)
    }
}

/// Collects what a checker does not know, until it can be printed.
final class RevocationReports: Sendable {
    private let reports = Mutex<[RevocationReport]>([])

    /// Adds a report.
    func add(_ report: RevocationReport) { reports.withLock { $0.append(report) } }

    /// Prints a warning for each report that says something new.
    func print(on console: Console) {
        var printed: Set<String> = []
        for report in reports.withLock({ $0 }) where printed.insert(report.description).inserted {
            console.warn(report.description)
        }
    }
}
