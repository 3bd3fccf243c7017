package import StorekeeperEngine

/// The texts of a chart in one language.
package struct TimelineWords: Sendable {
    /// The texts of a picture in English, in which names in braces are replaced by values.
    package enum Text: String, CaseIterable, Sendable {
        case expected
        case products = "PRODUCTS"
        case features = "FEATURES"
        case now = "now, {time}"
        case nextChange = "next change {time}"
        case asOf = "as of {time}"
        case becomes = "{row} becomes {answer}"
        case isExpected = "{row}: {answer}, expected"
        case several = "{row}: {count} answers in a short time"
        case zoomIn = "Zoom in to see each of them."
        case fromUntil = "From {from} until {to} UTC."
        case fromOn = "From {from} UTC; no end is known."
        case until = "Until {to} UTC."
        case always = "Always."
        case decides = "Decided by transaction {id}."
        case at = "At {time} UTC."
        case often = "{row}: {event}, {count} times"
        case fromTo = "From {from} to {to} UTC."
    }

    /// Returns the translation of a text by its key, such as `timeline.now`; `nil` to use the English text.
    private let translation: @Sendable (_ key: String) -> String?
    /// Returns an instant as text, in UTC.
    package let time: @Sendable (Instant) -> String
    /// Returns the distance between two instants, in words.
    package let distance: @Sendable (_ instant: Instant, _ now: Instant) -> String
    /// Returns a label of the axis in the language of the chart, from a part of an ISO 8601 text such as `2026-03`.
    let axisLabel: @Sendable (String) -> String
    /// Returns an answer in a few words.
    let caption: @Sendable (EntitlementAnswer) -> String
    /// Returns the reason of an answer as a sentence.
    let reason: @Sendable (EntitlementAnswer) -> String
    /// Returns what is due next, in words.
    let due: @Sendable (Upcoming) -> String

    package init(
        translation: @escaping @Sendable (_ key: String) -> String?, time: @escaping @Sendable (Instant) -> String,
        distance: @escaping @Sendable (_ instant: Instant, _ now: Instant) -> String,
        axisLabel: @escaping @Sendable (String) -> String, caption: @escaping @Sendable (EntitlementAnswer) -> String,
        reason: @escaping @Sendable (EntitlementAnswer) -> String, due: @escaping @Sendable (Upcoming) -> String
    ) {
        (self.translation, self.time, self.distance) = (translation, time, distance)
        (self.axisLabel, self.caption, self.reason, self.due) = (axisLabel, caption, reason, due)
    }

    package static let english = inEnglish { $0.brief }

    /// Returns English texts with times in a given format.
    package static func inEnglish(time: @escaping @Sendable (Instant) -> String) -> TimelineWords {
        TimelineWords(
            translation: { _ in nil }, time: time, distance: { RelativeTime.words(for: $0, at: $1) },
            axisLabel: { $0 }, caption: { "\($0.word) (\($0.reasonWord))" }, reason: \.sentence,
            due: { $0.phrase(time) })
    }

    /// Returns a text with values in place of the names in braces.
    func callAsFunction(_ text: Text, _ values: KeyValuePairs<String, String> = [:]) -> String {
        self("\(text)", text.rawValue, values)
    }

    /// Returns a text of a page with values in place of the names in braces.
    package func callAsFunction(
        _ name: String, _ english: String, _ values: KeyValuePairs<String, String> = [:]
    ) -> String {
        (translation("timeline.\(name)") ?? english).filling(values)
    }

    /// The meaning of the style of answers after the marked instant, for a legend.
    package var expectation: String { self(.expected) }

    /// Returns the meaning of a style, for a legend.
    package func meaning(_ segmentStyle: TimelineChart.SegmentStyle) -> String {
        translation("look.\(segmentStyle.rawValue)") ?? segmentStyle.meaning
    }

    /// Returns an event in words.
    package func name(_ kind: TimelineChart.Event.Kind) -> String {
        translation("event.\(kind.rawValue)") ?? kind.words
    }
}

extension String {
    /// Returns the text with values in place of names in braces, such as `{time}`; a name without a value is not
    /// replaced.
    package func filling(_ values: KeyValuePairs<String, String>) -> String {
        guard !values.isEmpty else { return self }
        // Values may contain braces, which must not be replaced, so the text is read only once.
        var result = ""
        var rest = self[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = rest[rest.index(after: open)..<close]
            result += rest[..<open]
            result += values.first { $0.key == name }?.value ?? "{\(name)}"
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }
}
