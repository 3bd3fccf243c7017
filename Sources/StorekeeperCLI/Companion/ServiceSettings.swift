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
    /// The address to listen at.
    let address: ListenAddress
    /// The file with the keys of callers.
    let keys: String
    /// The file with the keys that sign leases.
    let leaseKey: String?
    /// The maximum duration of a lease, in milliseconds.
    let leaseLife: Int64
    /// The files with the certificates and the key for TLS.
    let identity: (certificate: String, key: String)?
    /// The minimum level of log messages.
    let log: Logger.Level
    /// Whether each line of the log is a JSON object.
    let isLogJSON: Bool
    /// Whether the log is written to standard output instead of standard error.
    let logsToOutput: Bool
    /// The maximum number of connections.
    let connections: Int
    /// The port at which only health and metrics are served; `nil` means none.
    let healthPort: Int?
    /// The maximum number of requests per second that one IP address can send without a key; `nil` means no limit by
    /// address, also not of connections.
    let openRate: Double?
    /// Whether the page `/desk` is served to desk and admin keys.
    let desk: Bool
    /// The file of the key that signs offers, its id, and the id of its issuer.
    let offerKey: (file: String, id: String, issuerID: String)?
    /// The base URL of the server that the desk page asks instead of Apple's servers; `nil` for Apple's.
    let appStoreServer: String?
    /// How possibly revoked certificates are treated.
    let revocation: RevocationPolicy

    /// Reads the settings, and checks all of them.
    ///
    /// - Parameters:
    ///   - options: The command-line options, by key.
    ///   - environment: The environment of the process.
    ///   - file: The values of `serve` in storekeeper.yaml.
    /// - Throws: ``CommandError`` with status 64 for an invalid value, which names its option, variable or key of the
    ///   file.
    init(
        options: [ServiceKey: String], environment: [String: String], file: [ServiceKey: String]
    ) throws(CommandError) {
        func variable(_ key: ServiceKey) -> String? { ConfigurationVariable.text(key.variable, in: environment) }
        func text(_ key: ServiceKey) -> String? { options[key] ?? variable(key) ?? file[key] }
        func refusal(_ key: ServiceKey, _ what: String, _ remedy: String) -> CommandError {
            let place =
                options[key] != nil ? key.option : variable(key) != nil ? key.variable : "serve.\(key.rawValue)"
            return .usage("\(key.rawValue) \(what)", at: place, remedy)
        }
        func number(_ key: ServiceKey, _ range: ClosedRange<Int>, else standard: Int) throws(CommandError) -> Int {
            guard let text = text(key) else { return standard }
            guard let number = Int(text), range.contains(number) else {
                throw refusal(key, "is '\(text)'", "use \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        let address = ListenAddress(
            host: text(.host) ?? "127.0.0.1", port: try number(.port, 0...65_535, else: 8080))
        func isTrue(_ key: ServiceKey, else standard: Bool) throws(CommandError) -> Bool {
            switch text(key) {
            case nil: return standard
            case "true", "yes": return true
            case "false", "no": return false
            case let word?: throw refusal(key, "is '\(word)'", "use true or false")
            }
        }
        let isRemoteAllowed = try isTrue(.allowRemote, else: false)
        guard isRemoteAllowed || address.isLoopback else {
            throw refusal(
                .host, "is '\(address.host)', which other machines can reach",
                "use 127.0.0.1, or add --allow-remote")
        }
        desk = try isTrue(.desk, else: address.isLoopback)
        appStoreServer = text(.appStoreServer)
        self.address = address
        keys = text(.keys) ?? KeyFile.defaultPath
        leaseKey = text(.leaseKey)
        let life = text(.leaseLife) ?? "5m"
        guard let life = LeewayDuration.milliseconds(life), LeaseKeys.lives.contains(life) else {
            throw refusal(.leaseLife, "is '\(life)'", "use a time from 1s to 1d, such as 5m")
        }
        leaseLife = life
        switch (text(.certificate), text(.privateKey)) {
        case (let certificate?, let key?): identity = (certificate, key)
        case (nil, nil): identity = nil
        case (_?, nil):
            throw refusal(.privateKey, "is missing, but a certificate is given", "give the key of the certificate")
        case (nil, _?): throw refusal(.certificate, "is missing, but its key is given", "give the certificate")
        }
        switch (text(.offerKey), text(.offerKeyId), text(.offerIssuerId)) {
        case (let file?, let id?, let issuer?): offerKey = (file, id, issuer)
        case (nil, nil, nil): offerKey = nil
        case (nil, _, _): throw refusal(.offerKey, "is missing, but an id of it is given", "give the .p8 file")
        case (_, nil, _): throw refusal(.offerKeyId, "is missing", "give the id that App Store Connect shows")
        case (_, _, nil): throw refusal(.offerIssuerId, "is missing", "give the id that App Store Connect shows")
        }
        guard let log = Logger.Level(rawValue: text(.log) ?? "notice") else {
            throw refusal(.log, "is '\(text(.log) ?? "")'", "use debug, info, notice, warning or error")
        }
        self.log = log
        guard let policy = RevocationPolicy(rawValue: text(.revocation) ?? "off") else {
            throw refusal(.revocation, "is '\(text(.revocation) ?? "")'", "use off, soft or hard")
        }
        revocation = policy
        switch text(.logFormat) {
        case nil, "text": isLogJSON = false
        case "json": isLogJSON = true
        case let word?: throw refusal(.logFormat, "is '\(word)'", "use text or json")
        }
        switch text(.logTo) {
        case nil, "error": logsToOutput = false
        case "output": logsToOutput = true
        case let word?: throw refusal(.logTo, "is '\(word)'", "use error or output")
        }
        let rate = text(.openRate) ?? "100"
        guard let rate = Double(rate), rate >= 0, rate <= 1_000_000 else {
            throw refusal(.openRate, "is '\(rate)'", "use a number of requests per second, or 0 for no limit")
        }
        openRate = rate > 0 ? rate : nil
        connections = try number(.connections, 1...1_000_000, else: 4096)
        healthPort = try text(.healthPort) == nil ? nil : number(.healthPort, 1...65_535, else: 0)
        guard healthPort != address.port else {
            throw refusal(.healthPort, "is \(address.port), the port of all other routes", "use another port")
        }
    }
}
