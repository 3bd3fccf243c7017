import FoundationEssentials
import Logging
import Storekeeper

/// A log handler that writes each log message as a JSON object on one line, for log collectors.
struct JSONLog: LogHandler {
    let label: String
    /// Writes a complete line in one call, so that lines of two tasks are not mixed.
    let write: @Sendable (String) -> Void
    var logLevel: Logger.Level = .info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    init(label: String, write: @escaping @Sendable (String) -> Void) {
        self.label = label
        self.write = write
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(metadataProvider?.get() ?? [:]) { _, new in new }
            .merging(event.metadata ?? [:]) { _, new in new }
        write(Self.line(event.level, event.message.description, label, all, at: Instant(Date())))
    }

    /// Returns a line with the time, the level, the message and the logger's label, and with each metadata value under
    /// its name.
    static func line(
        _ level: Logger.Level, _ message: String, _ label: String, _ metadata: Logger.Metadata, at instant: Instant
    ) -> String {
        let own: [String: JSONText] = [
            "at": .time(instant), "level": .string(level.rawValue), "message": .string(message),
            "logger": .string(label),
        ]
        return JSONText.object(own.merging(metadata.mapValues(Self.json)) { own, _ in own }).text() + "\n"
    }

    private static func json(_ value: Logger.Metadata.Value) -> JSONText {
        switch value {
        case .string(let text): .string(text)
        case .stringConvertible(let value): .string(value.description)
        case .array(let values): .array(values.map(json))
        case .dictionary(let values): .object(values.mapValues(json))
        }
    }
}
