import FoundationEssentials
import Storekeeper
import StorekeeperJWS
import StorekeeperTesting
import Testing

@testable import StorekeeperCLI

/// Tests of the sources of settings with the real program: of the trusted root, the app and the environments.
@Suite(.system) struct SettingsSourcesTests {
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

    @Test("A root that the working directory's file names is reported with its fingerprint, and no other root is")
    func foundRoot() throws {
        let yaml = "root: good/root.pem\nenvironments: Sandbox\n"
        try folder.write(yaml, to: "storekeeper.yaml")
        try folder.write(yaml, to: "named.yaml")
        let fingerprint = try TrustedRoot(pem: evidence.rootPEM).sha256Fingerprint
        for (arguments, environment, isReported) in [
            ([], [:], true), (["--root", "good/root.pem"], [:], false), (["--config", "named.yaml"], [:], false),
            ([], ["STOREKEEPER_CONFIG": "named.yaml"], false), ([], ["STOREKEEPER_ROOT": "good/root.pem"], false),
        ] as [([String], [String: String], Bool)] {
            let result = try Tool.run(["verify", "sandbox.jws"] + arguments, in: folder, environment: environment)
            let notes = result.allErrors.split(separator: "\n").filter { $0.contains("note: the trusted root") }
            #expect(notes.count == (isReported ? 1 : 0), "\(arguments) \(environment): \(result.allErrors)")
            guard let note = notes.first else { continue }
            #expect(note.contains("good/root.pem") && note.contains(fingerprint), "\(note)")
        }
    }

    @Test("A flag overrides STOREKEEPER_ROOT, which overrides the configuration")
    func root() throws {
        let variable = ["STOREKEEPER_ROOT": "other.pem"]
        #expect(try verify(["--config", "good/own.yaml"], environment: variable) == "untrustedChain")
        #expect(
            try verify(["--config", "good/own.yaml", "--root", "good/root.pem"], environment: variable) == "verified")
        #expect(try verify(["--config", "good/own.yaml"], environment: ["STOREKEEPER_ROOT": ""]) == "verified")
    }

    @Test("Each key of the configuration has a variable, which overrides it")
    func variables() throws {
        try folder.write("bundleID: com.other\nenvironments: [Production]\n", to: "wrong.yaml")
        let right = [
            "STOREKEEPER_ROOT": "good/root.pem", "STOREKEEPER_BUNDLE_ID": "com.example.game",
            "STOREKEEPER_ENVIRONMENTS": " Production , Sandbox ",
        ]
        #expect(try verify(["--config", "wrong.yaml"], environment: right) == "verified")
        #expect(try verify([], environment: right) == "verified")
        #expect(try verify(["--bundle-id", "com.other"], environment: right) == "bundleMismatch")
        #expect(try verify([], environment: ["STOREKEEPER_CONFIG": "good/own.yaml"]) == "verified")
        for setting in Configuration.settings {
            // Every variable has a key in `storekeeper.yaml`. A vault and a root remember where they are from.
            let example = String(try #require(setting.example?.split(separator: "  ").first))
            let yaml = setting.group.map { "\($0): { \(setting.name): \(example) }" } ?? "\(setting.key): \(example)"
            try folder.write(yaml, to: "one.yaml")
            try folder.write("", to: "none.yaml")
            let quiet = Console(
                output: TextOutput { _ in }, errors: TextOutput { _ in }, environment: [:], now: .day(0))
            let console = Console(
                output: TextOutput { _ in }, errors: TextOutput { _ in },
                environment: [setting.variable: example.filter { !"[]".contains($0) }], now: .day(0))
            let fromFile = try Configuration.find(folder.url.path + "/one.yaml", on: quiet)
            let fromVariable = try Configuration.find(folder.url.path + "/none.yaml", on: console)
            let folders = setting.text(fromFile)?.replacing(folder.url.path + "/", with: "")
            #expect(folders == setting.text(fromVariable), "\(setting.key)")
            #expect(setting.text(fromVariable) != nil, "\(setting.key)")
        }
    }

    @Test("A misspelled variable is reported once; variables of other programs, and empty variables, are not")
    func misspelled() throws {
        var errors: [UInt8] = []
        let console = Console(
            output: TextOutput { _ in }, errors: TextOutput { errors += $0 },
            environment: [
                "STOREKEEPER_BUNDEL_ID": "com.other", "STOREKEEPER_SERVE_PROT": "80", "STOREKEEPER_VAULTS": "",
                "STOREKEEPER_PORT": "tcp://10.0.0.1:80", "STOREKEEPER_SERVICE_HOST": "10.0.0.1",
                "STOREKEEPER_POSTGRES": "/usr/lib/postgresql", "STOREKEEPER_SERVE_WEBHOOKS_A_URL": "https://a.example",
                "BUNDLE_ID": "com.other",
            ],
            now: .day(0))
        for _ in 0..<2 { _ = try Configuration.find(folder.url.path + "/good/own.yaml", on: console) }
        console.errors.flush()
        #expect(
            String(decoding: errors, as: UTF8.self) == """
                storekeeper: warning: the variable STOREKEEPER_BUNDEL_ID is not a setting and is ignored: did you \
                mean STOREKEEPER_BUNDLE_ID?
                storekeeper: warning: the variable STOREKEEPER_SERVE_PROT is not a setting and is ignored: did you \
                mean STOREKEEPER_SERVE_PORT?

                """)
    }

    @Test(
        "A wrong variable is wrong usage, and named",
        arguments: [
            "STOREKEEPER_APP_APPLE_ID": "x", "STOREKEEPER_ENVIRONMENTS": "Moon", "STOREKEEPER_ACCOUNT_TOKENS": "x",
            "STOREKEEPER_POLICY_GRACE": "perhaps", "STOREKEEPER_POLICY_RENEWAL_LEEWAY": "2d",
            "STOREKEEPER_POLICY_REFUNDS": "x",
        ])
    func wrong(_ name: String, _ value: String) throws {
        let result = try Tool.run(
            ["verify", "sandbox.jws"], in: folder, environment: [name: value, "STOREKEEPER_ROOT": "good/root.pem"])
        #expect(result.status == 64 && result.errors.contains(name), "\(result.errors)")
    }

    @Test("The vault can be in a file of secrets, but not in a variable as well")
    func secrets() throws {
        try folder.write("kept.sqlite\n", to: "secret")
        try folder.write("\n", to: "empty")
        let made = try Tool.run(["vault", "init"], in: folder, environment: ["STOREKEEPER_VAULT_FILE": "secret"])
        #expect(made.status == 0 && made.output.contains("kept.sqlite"), "\(made.errors)")
        // The value follows the same rule as the option --vault.
        try folder.write("./game@home.sqlite\n", to: "path")
        let named = try Tool.run(["vault", "init"], in: folder, environment: ["STOREKEEPER_VAULT_FILE": "path"])
        #expect(named.status == 0 && named.output.contains("game@home.sqlite"), "\(named.errors)")
        for (variables, status) in [
            (["STOREKEEPER_VAULT_FILE": "secret", "STOREKEEPER_VAULT": "v.sqlite"], 64),
            (["STOREKEEPER_VAULT_FILE": "none"], 66), (["STOREKEEPER_VAULT_FILE": "empty"], 65),
        ] as [([String: String], Int32)] {
            let result = try Tool.run(["vault", "init"], in: folder, environment: variables)
            #expect(result.status == status, "\(result.errors)")
        }
    }

    @Test("A key of App Store Connect that is given twice or cannot be read is refused")
    func appStoreKey() throws {
        for (variables, status, words) in Self.wrongKeys {
            let result = try Tool.run(
                ["fetch", "--bundle-id", "a", "--root", "good/root.pem", "--transaction", "1"], in: folder,
                environment: variables)
            #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
        }
    }

    /// Variables with a wrong key of App Store Connect, the exit status, and a part of the error.
    static let wrongKeys: [([String: String], Int32, String)] = [
        (["APP_STORE_PRIVATE_KEY": "pem", "APP_STORE_PRIVATE_KEY_FILE": "secret"], 64, "both set"),
        (["APP_STORE_PRIVATE_KEY_FILE": "none"], 66, "none"),
    ].map { variables, status, words in
        (variables.merging(["APP_STORE_KEY_ID": "k", "APP_STORE_ISSUER_ID": "i"]) { own, _ in own }, status, words)
    }

    @Test(
        "A mistyped connection string in a file of secrets is refused without its password",
        arguments: [
            "postgre://game:hunter2@db/game", "host=db password=hunter2", "postgres:/game:hunter2@db",
            "host=db Password = hunter2", "//game:hunter2@db/game",
        ])
    func mistyped(_ text: String) throws {
        try folder.write(text, to: "secret")
        for arguments in [["vault", "init"], ["entitlements", "--customer", "anna"], ["vault", "verify"]] {
            let result = try Tool.run(
                arguments, in: folder,
                environment: ["STOREKEEPER_VAULT_FILE": "secret", "STOREKEEPER_ROOT": "good/root.pem"])
            #expect(result.status == 65 && result.errors.contains("STOREKEEPER_VAULT_FILE"), "\(result.errors)")
            #expect(!(result.output + result.errors).contains("hunter2"))
        }
    }

    @Test("A malformed connection string is reported at the variable or the file that contains it")
    func sourceOfVault() throws {
        let malformed = "postgres://db:port/game"
        try folder.write(malformed, to: "secret")
        try folder.write("vault: \(malformed)\n", to: "vault.yaml")
        for (variable, value, place) in [
            ("STOREKEEPER_VAULT", malformed, "STOREKEEPER_VAULT"),
            ("STOREKEEPER_VAULT_FILE", "secret", "STOREKEEPER_VAULT_FILE"),
            ("STOREKEEPER_CONFIG", "vault.yaml", "vault.yaml"),
        ] {
            for arguments in [["vault", "init"], ["entitlements", "--customer", "anna"]] {
                let result = try Tool.run(arguments, in: folder, environment: [variable: value])
                #expect(result.status == 64 && result.errors.contains("(\(place)): "), "\(result.errors)")
            }
        }
    }

    @Test("A wrong file of secrets does not matter if no vault is opened, or an option names it")
    func overriddenSecret() throws {
        try folder.write("kept.sqlite\n", to: "secret")
        let made = try Program.run(
            ["vault", "init", "--vault", "q.sqlite"], in: folder,
            environment: ["STOREKEEPER_VAULT_FILE": "secret", "STOREKEEPER_VAULT": "v.sqlite"])
        #expect(made.status == 0 && made.output.contains("q.sqlite"), "\(made.errors)")
        let unreadable = ["STOREKEEPER_VAULT_FILE": "none", "STOREKEEPER_ROOT": "good/root.pem"]
        let read = try Program.run(
            ["entitlements", "--customer", "anna", "--vault", "q.sqlite"], in: folder, environment: unreadable)
        #expect(read.status == 0, "\(read.errors)")
        #expect(try verify(["--environment", "Sandbox"], environment: unreadable) == "verified")
    }

    @Test("Several roots are trusted")
    func severalRoots() throws {
        #expect(
            try verify(["--root", "other.pem", "--root", "good/root.pem", "--environment", "Sandbox"]) == "verified")
    }
}

/// Tests that every setting of the service, and the page about all settings, follow from the declarations.
@Suite(.system) struct DeclaredSettingsTests {
    /// Returns a permitted value of a setting other than its default.
    private func value(_ setting: Setting<ServiceSettings>) throws -> String {
        let initial = setting.text(ServiceSettings())
        let value = ["1", "2m", "true", "info", "json", "output", "soft", "word"].first { text in
            var settings = ServiceSettings()
            do throws(SettingFault) { try setting.take(text, into: &settings) } catch { return false }
            return setting.text(settings) != initial
        }
        return try #require(value, "\(setting.key)")
    }

    @Test("Every setting of the service is an option, a variable and a key of the file, in this order of precedence")
    func service() throws {
        let folder = try Folder()
        let help = try Program.run(["help", "serve"], in: folder).output.split { $0.isWhitespace }.joined(
            separator: " ")
        for setting in ServiceSettings.settings {
            let value = try value(setting)
            let wrong = setting.form.remedy.isEmpty ? value : "wrong"
            if let sentence = setting.sentence {
                #expect(help.contains("\(setting.sameOption) <\(setting.form.valueName ?? "")> \(sentence)"))
                let result = try Program.run(["serve", "--local-app-store", setting.sameOption, value], in: folder)
                #expect(result.errors.contains("error: \(setting.sameOption) is an option of the companion service"))
            }
            let file = try Configuration("serve: { \(setting.name): '\(value)' }", path: "folder/a.yaml").serve
            #expect(file == [setting.name: setting.form.isPath ? "folder/\(value)" : value])
            for (options, environment, file, place) in [
                ([setting.name: value], [setting.variable: wrong], file, setting.sameOption),
                ([:], [setting.variable: value], [setting.name: wrong], setting.variable),
                ([:], [:], file, setting.key),
            ] as [([String: String], [String: String], [String: String], String)] {
                let read = try? ServiceSettings(options: options, environment: environment, file: file)
                // Some settings are wrong without others.
                if let read { #expect(read.place(of: setting.property) == place, "\(setting.key)") }
            }
            guard !setting.form.remedy.isEmpty else { continue }
            do throws(CommandError) {
                _ = try ServiceSettings(options: [:], environment: [setting.variable: wrong], file: [:])
                Issue.record("\(setting.key) accepts '\(wrong)'")
            } catch {
                #expect(
                    error.description == "storekeeper: error: \(setting.name) is 'wrong' (\(setting.variable)): "
                        + setting.form.remedy)
            }
        }
    }

    @Test("The tables of the page are those of the declarations")
    func page() throws {
        let file = CompanionFolder.repository.appending(path: "Documentation/Settings.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let general = Configuration.settings.map { setting in
            [
                "`\(setting.key)`", setting.form.type, setting.meaningOfAbsence(Configuration()),
                setting.option.map { "`\($0)`" } ?? "",
                ([setting.variable] + [setting.fileVariable].compactMap(\.self)).map { "`\($0)`" }
                    .joined(separator: ", "),
            ]
        }
        let webhooks = WebhookSettings.Values.settings.map { setting in
            [
                "`\(setting.key)`", setting.form.type, setting.meaningOfAbsence(WebhookSettings.Values()),
                setting.sentence ?? "",
            ]
        }
        for rows in [general, webhooks] {
            let lines = rows.map { row in row.map { $0.isEmpty ? "| " : "| \($0) " }.joined() + "|" }
            for line in lines { #expect(page.contains("\n\(line)\n"), "The page lacks this line:\n\(line)") }
            let first = try #require(rows.first?.first)
            let table = try #require(page.split(separator: "\n\n").first { $0.contains("\n| \(first) |") })
            #expect(table.split(separator: "\n").count == lines.count + 2, "The page has a line too many")
        }
    }

    @Test("The example for the package is a configuration, with and without its comments")
    func example() throws {
        let file = CompanionFolder.repository.appending(path: "Deployment/debian/storekeeper.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("# ") && !$0.hasPrefix("#  ") }
        let all = try Configuration(
            lines.map { $0.hasPrefix("#") ? $0.dropFirst() : $0 }.joined(separator: "\n"), path: "")
        #expect(all.bundleID != nil && !all.roots.isEmpty && !all.catalogs.isEmpty)
        let shipped = try Configuration(text, path: "")
        #expect(shipped.vault == "/var/lib/storekeeper/customers.sqlite" && shipped.serve["keys"] != nil)
    }
}

extension Setting {
    /// The default, as the page shows it.
    fileprivate func meaningOfAbsence(_ initial: Settings) -> String {
        absence ?? text(initial).map { "`\($0)`" } ?? "none"
    }
}

@Suite(.system) struct LeewayDurationTests {
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
        if let milliseconds { #expect(LeewayDuration.milliseconds(LeewayDuration.text(milliseconds)) == milliseconds) }
    }
}
