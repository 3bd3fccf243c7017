import Foundation
import Storekeeper

/// The library axe-core, which finds faults of accessibility in a page.
///
/// `Scripts/axe.sh` downloads the library. If the download has failed, the tests with the library are skipped, or fail
/// if the environment contains `STOREKEEPER_AXE=required`. Only the tests insert the library into a page, and the pages
/// do not load it.
enum Axe {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: ".build/axe/axe.min.js")

    /// Whether tests with the library can run, or must run.
    static let isWanted =
        ProcessInfo.processInfo.environment["STOREKEEPER_AXE"] == "required"
        || FileManager.default.fileExists(atPath: file.path)

    static func text() throws -> String { try String(contentsOf: file, encoding: .utf8) }

    /// The rules by which a page is examined.
    enum Rules: String {
        /// WCAG 2.2, levels A and AA, and the library's best practices; some rules apply only if they are named.
        case all = """
            runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
            rules: { 'target-size': { enabled: true }, 'label-content-name-mismatch': { enabled: true },
              'td-has-header': { enabled: true }, 'table-fake-caption': { enabled: true } },
            """
        /// Only the rules that other colours can break.
        case colours = "runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },"
    }

    /// A fault of an element.
    struct Violation: Hashable, CustomStringConvertible {
        let rule: String
        let element: String
        let remedy: String

        var description: String { "\(rule)\n    at \(element)\n    \(remedy)" }
    }
}

extension Browser {
    /// Inserts the library into each page that is opened after this call.
    func addAxe() async throws {
        _ = try await command(
            "Page.addScriptToEvaluateOnNewDocument", .object(["source": .string(try Axe.text())]))
    }

    /// Returns the faults of the page in its current state.
    func violations(of rules: Axe.Rules = .all) async throws -> [Axe.Violation] {
        let found = try await script(
            """
            return axe.run(document, { \(rules.rawValue) resultTypes: ['violations'] }).then(({ violations }) =>
              violations.flatMap(({ id, help, nodes }) => nodes.map((one) =>
                [`${id}: ${help}`, `${one.target.join(' ')}  ${one.html.slice(0, 200)}`, one.failureSummary])));
            """)
        return try (found.array.map(Array.init) ?? []).map { one in
            let parts = one.array.map { $0.compactMap(\.string) } ?? []
            guard parts.count == 3 else { throw Failure(description: "axe answered with something else") }
            return Axe.Violation(
                rule: parts[0], element: parts[1], remedy: parts[2].replacing("\n", with: "\n    "))
        }
    }
}
