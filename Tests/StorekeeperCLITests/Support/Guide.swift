import Foundation
import Testing

/// A page of documentation whose commands a test runs.
struct Guide {
    let text: String

    /// - Parameter path: Relative to the folder of the repository.
    init(_ path: String) throws {
        text = try String(contentsOf: CompanionFolder.repository.appending(path: path), encoding: .utf8)
    }

    /// Returns the blocks of a language, in order.
    func blocks(of language: String) -> [String] {
        text.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
    }

    /// Replaces a text that must exist.
    static func replace(_ part: String, with other: String, in text: String) throws -> String {
        try #require(text.contains(part), "the guide says: \(part)")
        return text.replacing(part, with: other)
    }

    /// Runs lines in one shell.
    ///
    /// When the shell ends, the background processes that it started are ended.
    static func type(_ lines: [String], in folder: Folder) throws -> Program.Result {
        try Program.type(
            """
            HOME="$PWD"
            trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT
            \(lines.joined(separator: "\n"))
            """, in: folder)
    }

    /// Returns unused ports of this machine.
    static func freePorts(_ count: Int) throws -> [Int] {
        var ports: Set<Int> = []
        // The range is below the ports that the system assigns. It contains no number that includes a port of a guide,
        // such as 28080.
        for port in (0..<200).map({ _ in Int.random(in: 20_000..<28_000) }) where ports.count < count && isFree(port) {
            ports.insert(port)
        }
        try #require(ports.count == count)
        return Array(ports)
    }

    private static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
