import ArgumentParser
import Logging
import Storekeeper
import StorekeeperCompanion
import StorekeeperJWS
import StorekeeperLocalStore
import StorekeeperPages

/// The settings of the companion service.
///
/// Each setting is read from its option, else from its environment variable, else from its key under `serve` in
/// storekeeper.yaml.
///
/// For example, the setting `leaseLife` has the option `--lease-life`, the variable `STOREKEEPER_SERVE_LEASE_LIFE` and
/// the key `serve.leaseLife` in the file.
struct ServiceSettings {
    enum LogFormat: String, CaseIterable, Sendable { case text, json }
    enum LogTarget: String, CaseIterable, Sendable { case error, output }

    var host = "127.0.0.1"
    var port = 8080
    var allowRemote = false
    var keys = KeyFile.defaultPath
    var leaseKey: String?
    /// The maximum duration of a lease, in milliseconds.
    var leaseLife: Int64 = 300_000
    var certificate: String?
    var privateKey: String?
    var log = Logger.Level.notice
    var logFormat = LogFormat.text
    var logTo = LogTarget.error
    var connections = 4096
    var healthPort: Int?
    var openRate = 100.0
    var desk: Bool?
    var revocation = RevocationPolicy.off
    var offerKey: String?
    var offerKeyId: String?
    var offerIssuerId: String?
    var appStoreServer: String?
    /// The configuration of the service itself; a setting that only the service uses is a property of it.
    private(set) var service = CompanionService.Configuration()

    /// All settings.
    ///
    /// Those with a sentence are options of `serve` alone.
    static let settings: [Setting<ServiceSettings>] = [
        Setting("serve.host", \.host, .text()),
        Setting("serve.port", \.port, .number(0...65_535)),
        Setting("serve.allowRemote", \.allowRemote, .flag),
        Setting("serve.keys", \.keys, .path, isSecret: true, "The file with the API keys of callers."),
        Setting(
            "serve.leaseKey", optional: \.leaseKey, .path, isSecret: true,
            "Sign leases with the first P-256 key in this file."),
        Setting(
            "serve.leaseLife", \.leaseLife,
            .span(LeaseKeys.lives, "a duration from 1s to 1d", "use a time from 1s to 1d, such as 5m"),
            "The maximum life of a lease, 1s to 1d."),
        Setting(
            "serve.certificate", optional: \.certificate, .path,
            "Use TLS with the certificates in this PEM file, the server's first."),
        Setting(
            "serve.privateKey", optional: \.privateKey, .path, isSecret: true,
            "The private key of the certificate, in PEM."),
        Setting(
            "serve.log", \.log, .word([.debug, .info, .notice, .warning, .error]),
            "The log level; info logs one line per request."),
        Setting(
            "serve.logFormat", \.logFormat, .word(LogFormat.allCases),
            "The log format: text, or one JSON object per line."),
        Setting(
            "serve.logTo", \.logTo, .word(LogTarget.allCases),
            """
            Where the log goes: to standard error, or to standard output, where the address is then a log line.
            """),
        Setting("serve.connections", \.connections, .number(1...1_000_000), "The maximum number of connections."),
        Setting(
            "serve.healthPort", optional: \.healthPort, .number(1...65_535), absence: "none",
            "Also serve /health and /metrics at this port, with connections of their own."),
        Setting(
            "serve.openRate", \.openRate, .rate,
            """
            Requests per second and address to endpoints without a key; only refused notifications count; 0 turns off \
            all limits by address, as is needed behind a proxy.
            """),
        Setting(
            "serve.desk", optional: \.desk, .flag, absence: "true if only this machine can connect",
            "Whether to serve the customer support page at /desk, for holders of a desk or admin key."),
        Setting("serve.revocation", \.revocation, .word(RevocationPolicy.allCases), RevocationOptions.effect),
        Setting(
            "serve.offerKey", optional: \.offerKey, .path, isSecret: true,
            "Sign promotional offers with this In-App Purchase key, a .p8 file."),
        Setting("serve.offerKeyId", optional: \.offerKeyId, .text("id"), "The id of the offer key."),
        Setting(
            "serve.offerIssuerId", optional: \.offerIssuerId, .text("id"), "The issuer id of the team of the offer key."
        ),
        Setting(
            "serve.appStoreServer", optional: \.appStoreServer, .text("url"),
            """
            Ask this server instead of Apple's, such as a local App Store; for one environment that is not Production.
            """),
    ]

    /// The option, the variable or the key of the file from which each setting was read, by name.
    private var places: [String: String] = [:]

    init() {}

    /// Reads the settings, and checks all of them.
    ///
    /// - Parameters:
    ///   - options: The command-line options, by name of the setting.
    ///   - environment: The environment of the process.
    ///   - file: The values of `serve` in storekeeper.yaml.
    /// - Throws: ``CommandError`` with status 64 for an invalid value, which names its option, variable or key of the
    ///   file.
    init(
        options: [String: String], environment: [String: String], file: [String: String]
    ) throws(CommandError) {
        for setting in Self.settings {
            let variable = Variables.text(setting.variable, in: environment)
            guard let text = options[setting.name] ?? variable ?? file[setting.name] else { continue }
            let place =
                options[setting.name] != nil ? setting.sameOption : variable != nil ? setting.variable : setting.key
            places[setting.name] = place
            do throws(SettingFault) { try setting.take(text, into: &self) } catch {
                throw .usage("\(setting.name) is '\(text)'", at: place, error.remedy)
            }
        }
        guard allowRemote || address.isLoopback else {
            throw refusal(
                \.host, "is '\(address.host)', which other machines can reach", "use 127.0.0.1, or add --allow-remote")
        }
        switch (certificate, privateKey) {
        case (_?, nil):
            throw refusal(\.privateKey, "is missing, but a certificate is given", "give the key of the certificate")
        case (nil, _?): throw refusal(\.certificate, "is missing, but its key is given", "give the certificate")
        default: break
        }
        switch (offerKey, offerKeyId, offerIssuerId) {
        case (_?, _?, _?), (nil, nil, nil): break
        case (nil, _, _): throw refusal(\.offerKey, "is missing, but an id of it is given", "give the .p8 file")
        case (_, nil, _): throw refusal(\.offerKeyId, "is missing", "give the id that App Store Connect shows")
        case (_, _, nil): throw refusal(\.offerIssuerId, "is missing", "give the id that App Store Connect shows")
        }
        guard healthPort != port else {
            throw refusal(\.healthPort, "is \(port), the port of all other routes", "use another port")
        }
        service.hasDesk = desk ?? address.isLoopback
        // Without a limit, also the connections are not limited by address.
        service.openRate = openRate > 0 ? openRate : nil
    }

    private func refusal(_ property: PartialKeyPath<Self>, _ what: String, _ remedy: String) -> CommandError {
        let setting = Self.setting(property)
        return .usage("\(setting?.name ?? "") \(what)", at: place(of: property), remedy)
    }

    /// Returns the declaration of a property.
    static func setting(_ property: PartialKeyPath<Self>) -> Setting<Self>? {
        settings.first { $0.property == property }
    }

    /// Returns the option, the variable or the key of the file that gives a setting; the key if none does.
    func place(of property: PartialKeyPath<Self>) -> String {
        guard let setting = Self.setting(property) else { return "serve" }
        return places[setting.name] ?? setting.key
    }

    // MARK: What follows from the settings

    /// The address to listen at.
    var address: ListenAddress { ListenAddress(host: host, port: port) }

    /// The files with the certificates and the key for TLS.
    var identity: (certificate: String, key: String)? {
        if let certificate, let privateKey { (certificate, privateKey) } else { nil }
    }

    /// The file of the key that signs offers, its id, and the id of its issuer.
    var offerSigner: (file: String, id: String, issuerID: String)? {
        if let offerKey, let offerKeyId, let offerIssuerId { (offerKey, offerKeyId, offerIssuerId) } else { nil }
    }

    /// The paths of the files with secrets.
    var secretFiles: [String] { Self.settings.filter(\.isSecret).compactMap { $0.text(self) } }
}
