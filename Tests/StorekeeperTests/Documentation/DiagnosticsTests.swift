import Storekeeper
import StorekeeperTesting
import Testing

@Suite("The article Diagnostics") struct DiagnosticsTests {
    @Test("The article's code lists diagnostics") func list() throws {
        let history = try TestShop.history([.purchase(of: "mystery", at: .day(0))])
        let resolver = EntitlementResolver(catalog: TestShop.catalog)
        let (instant, now) = (Instant.day(1), Instant.day(1))
        var printed: [String] = []
        func print(_ severity: Diagnostic.Severity, _ code: String, _ message: String) {
            printed.append("\(severity) \(code)")
        }

        let examination = EvidenceDiagnostics(history, resolver: resolver)
        for diagnostic in examination.diagnostics(at: instant, now: now) {
            print(diagnostic.severity, diagnostic.code.rawValue, diagnostic.message)
        }

        #expect(printed == ["warning unknownProduct"])
    }
}
