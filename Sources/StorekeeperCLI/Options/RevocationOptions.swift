public import ArgumentParser
import Storekeeper
import StorekeeperAppStore
import StorekeeperJWS
import Synchronization

/// The option for checking the revocation of certificates.
struct RevocationOptions: ParsableArguments {
    static let effect =
        "Check whether certificates were revoked: soft tolerates a responder that does not answer, hard refuses an "
        + "unknown status."

    @Option(name: .long, help: ArgumentHelp(effect, valueName: "off|soft|hard"))
    var revocation: RevocationPolicy = .off
}

extension RevocationPolicy: ExpressibleByArgument {}

extension OCSPChecker {
    /// Creates a checker that uses the given connections; `nil` if the policy is off.
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

/// Collects a checker's reports until they can be printed.
final class RevocationReports: Sendable {
    private let reports = Mutex<[RevocationReport]>([])

    func add(_ report: RevocationReport) { reports.withLock { $0.append(report) } }

    /// Prints a warning for each distinct report.
    func print(on console: Console) {
        var printed: Set<String> = []
        for report in reports.withLock({ $0 }) where printed.insert(report.description).inserted {
            console.warn(report.description)
        }
    }
}
