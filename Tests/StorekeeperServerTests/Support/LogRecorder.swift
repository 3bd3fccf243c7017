import Logging
import Synchronization

/// Records log events.
final class LogRecorder: Sendable {
    struct Line: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: [String: String]
    }

    private let kept = Mutex<[Line]>([])

    var lines: [Line] { kept.withLock { $0 } }

    /// A logger that records events of all levels.
    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(recorder: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        init(recorder: LogRecorder) { self.recorder = recorder }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
            recorder.kept.withLock {
                $0.append(
                    Line(
                        level: event.level, message: event.message.description, metadata: all.mapValues(\.description)))
            }
        }
    }
}
