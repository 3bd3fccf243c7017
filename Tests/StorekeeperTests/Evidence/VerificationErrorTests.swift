import Foundation
import Storekeeper
import Testing

struct VerificationErrorTests {
    @Test("The list of codes contains each code that is declared")
    func codes() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let source = try String(
            contentsOf: root.appending(path: "Sources/StorekeeperEngine/Evidence/VerificationError.swift"),
            encoding: .utf8)
        let declared = source.split(separator: "\n").filter {
            $0.contains("static let") && $0.contains("Self(rawValue:")
        }
        .compactMap { $0.split(separator: "\"").dropFirst().first.map(String.init) }
        #expect(declared.count > 10)
        #expect(Set(declared) == Set(VerificationError.Code.all.map(\.rawValue)))
    }
}
