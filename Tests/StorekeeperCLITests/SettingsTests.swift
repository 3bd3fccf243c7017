import Storekeeper
import Testing

@testable import StorekeeperCLI

/// The sources of settings, tested with the real program: the trusted root, the app and the
/// environments.
struct SettingsSourcesTests {
    private let folder: Folder
    private let evidence: Evidence

    init() throws {
        folder = try Folder()
        evidence = try Evidence()
        try folder.write(evidence.rootPEM, to: "good/root.pem")
        try folder.write(Evidence().rootPEM, to: "other.pem")
        try folder.write(evidence.transaction(environment: "Sandbox"), to: "sandbox.jws")
        try folder.write("root: root.pem\nenvironments: [Sandbox]\nbundleID: com.example.game\n", to: "good/own.yaml")
    }

    private func verify(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
        let result = try Tool.run(["verify", "sandbox.jws"] + arguments, in: folder, environment: environment)
        guard let line = result.outputLines.first else { return result.errors }
        return try #/"code":"(\w+)"/#.firstMatch(in: line).map { String($0.1) } ?? "verified"
    }

    @Test("A configuration gives root, app and environments, its paths relative to it")
    func configuration() throws {
        #expect(try verify(["--config", "good/own.yaml"]) == "verified")
        #expect(try verify(["--config", "good/own.yaml", "--bundle-id", "com.other"]) == "bundleMismatch")
        #expect(try verify(["--config", "good/own.yaml", "--environment", "Production"]) == "environmentRefused")
    }

    @Test("The configuration in the working directory is found by its name")
    func workingDirectory() throws {
        try folder.write("root: [other.pem, good/root.pem]\nenvironments: Sandbox\npolicy:\n", to: "storekeeper.yaml")
        #expect(try verify([]) == "verified")
        #expect(try verify(["--root", "other.pem"]) == "untrustedChain")
        try folder.write("# nothing yet\n", to: "storekeeper.yaml")
        #expect(try verify(["--root", "good/root.pem"]) == "environmentRefused")
    }

    @Test("A flag overrides STOREKEEPER_ROOT, which overrides the configuration")
    func root() throws {
        let variable = ["STOREKEEPER_ROOT": "other.pem"]
        #expect(try verify(["--config", "good/own.yaml"], environment: variable) == "untrustedChain")
        #expect(
            try verify(["--config", "good/own.yaml", "--root", "good/root.pem"], environment: variable) == "verified")
        #expect(try verify(["--config", "good/own.yaml"], environment: ["STOREKEEPER_ROOT": ""]) == "verified")
    }

    @Test("Several roots are trusted")
    func severalRoots() throws {
        #expect(
            try verify(["--root", "other.pem", "--root", "good/root.pem", "--environment", "Sandbox"]) == "verified")
    }
}

struct LeewayDurationTests {
    @Test(
        "A leeway is a duration of at most a day",
        arguments: [
            ("PT1H", 3_600_000), ("PT30M", 1_800_000), ("P1D", 86_400_000), ("PT24H", 86_400_000), ("PT0S", 0),
            ("P0DT1H30M5S", 5_405_000), ("90s", 90_000), ("5m", 300_000), ("1h", 3_600_000), ("1d", 86_400_000),
            ("1h30m", 5_400_000), ("PT25H", nil), ("P1DT1S", nil), ("P1W", nil), ("P1M", nil), ("PT", nil), ("P", nil),
            ("P1DT", nil), ("", nil), ("1", nil), ("-PT1H", nil), ("-1h", nil), ("1.5h", nil), ("PT1M1H", nil),
            ("PT1H1H", nil), ("1x", nil), ("99999999999999999999h", nil), ("pt1h", nil), ("1 h", nil),
        ] as [(String, Int64?)])
    func reads(text: String, milliseconds: Int64?) {
        #expect(LeewayDuration.milliseconds(text) == milliseconds)
    }
}
