import Foundation

/// Measures Storekeeper, each group beside what a user would write instead, or what limits the machine.
///
/// A missed target does not fail a run, because the machine may be busy. A group that cannot run does.
@main
struct Benchmarks {
    static func main() async {
        var names = Set(CommandLine.arguments.dropFirst())
        let isQuick = names.remove("--quick") != nil
        let server = PostgresServer.given
        let groups: [(name: String, make: () async throws -> BenchmarkGroup?)] = [
            ("verification", verificationCases),
            ("history", historyCases),
            ("renewal", renewalCases),
            ("questions", questionCases),
            ("library", libraryQuestionCases),
            ("library-ingest", libraryIngestCases),
            ("catalog", catalogCases),
            ("sqlite", sqliteCases),
            ("postgres", { if let server { try await postgresCases(on: server) } else { nil } }),
            ("opening", { try await openingCases(on: server) }),
            ("notifications", { try await notificationCases(on: server) }),
        ]
        guard names.isSubset(of: groups.map(\.name)) else {
            print("usage: Benchmarks [--quick] [GROUP…]\ngroups: \(groups.map(\.name).joined(separator: ", "))")
            exit(64)
        }
        print(
            """
            \(ProcessInfo.processInfo.activeProcessorCount) cores; medians over interleaved rounds\
            \(isQuick ? ", quick" : ""); processor time of one thread unless it says otherwise
            """)
        var (table, hasFailed) = (ResultTable(), false)
        for (name, make) in groups where names.isEmpty || names.contains(name) {
            do {
                if let group = try await make() {
                    table.add(group, try await group.run(isQuick: isQuick))
                } else {
                    print("\n\(name): not run, for lack of a PostgreSQL server or of Swift 6.3")
                }
            } catch {
                print("\n\(name): failed: \(error)")
                hasFailed = true
            }
            fflush(nil)
        }
        print(table.conclusion)
        if hasFailed { exit(1) }
    }
}
