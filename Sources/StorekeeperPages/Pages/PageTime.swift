package import Storekeeper

/// The format of all times on pages, in UTC: `2026-02-01 09:00`, optionally followed by the distance from now in words.
///
/// Fields and filters accept this format, and pictures use the format. The format is unambiguous in every country.
package enum PageTime {
    /// Returns the day and the time of day: `2026-02-01 09:00`, with seconds unless they are zero.
    package static func text(_ instant: Instant) -> String {
        let clock = instant.toSeconds.dropLast().suffix(8)
        return "\(instant.day) \(clock.hasSuffix(":00") ? clock.dropLast(3) : clock)"
    }

    /// Returns the time with its distance from now: `2026-02-01 09:00 (in 12 days)`.
    package static func text(_ instant: Instant, at now: Instant) -> String {
        "\(text(instant)) (\(RelativeTime.words(for: instant, at: now.wholeSecond)))"
    }

    /// Converts a typed time, or a time copied from a page, to ISO 8601; returns any other text unchanged.
    ///
    /// A time such as `2026-02-01 09:00` has no time zone. The time is read as UTC, because all times on pages are in
    /// UTC.
    package static func written(_ typed: String) -> String {
        let words = typed.split(separator: " ")
        guard Instant(typed) == nil, words.count == 2 else { return typed }
        let text = words.joined(separator: "T") + "Z"
        return Instant(text) == nil ? typed : text
    }

    /// Returns the instant that a person has typed into a field of a page; `nil` if the text is not a valid time.
    package static func instant(_ typed: String) -> Instant? { Instant(written(typed)) }

    /// Returns a time as it can be typed, without loss: ``text(_:)``, or ISO 8601 if the time has a fraction of a second.
    package static func typed(_ instant: Instant) -> String {
        instant.millisecondsSince1970.isMultiple(of: 1000) ? text(instant) : instant.description
    }

    /// Returns a sentence of the engine in which the times, written to the millisecond, are converted to this format.
    package static func text(inside sentence: String) -> String {
        var result = ""
        var rest = sentence[...]
        while let match = rest.firstMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z/) {
            result += rest[..<match.range.lowerBound]
            // A time with a fraction of a second is not changed, because the sentence may be about the fraction.
            let instant = Instant(String(match.output)).flatMap {
                $0.millisecondsSince1970.isMultiple(of: 1000) ? $0 : nil
            }
            result += instant.map { text($0) } ?? String(match.output)
            rest = rest[match.range.upperBound...]
        }
        return result + rest
    }
}

extension Instant {
    /// The second that contains the instant, from which pages count distances.
    ///
    /// Evidence can be signed a millisecond ahead of a virtual clock; 31 days less a millisecond are still 31 days.
    var wholeSecond: Instant { Instant(toSeconds) ?? self }
}
