package import Storekeeper

/// A time in the header of an HTTP message, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// - SeeAlso: RFC 9110, section 5.6.7.
package enum HTTPDate {
    /// Returns the text of an instant, to the second.
    package static func text(_ instant: Instant) -> String {
        let text = instant.description
        let parts = text.split { $0 == "-" || $0 == "T" || $0 == "." }
        guard parts.count == 5, let month = Int(parts[1]), months.indices.contains(month - 1) else { return text }
        let (number, rest) = instant.millisecondsSince1970.quotientAndRemainder(dividingBy: 86_400_000)
        let day = ((number - (rest < 0 ? 1 : 0)) % 7 + 7) % 7
        return "\(days[Int(day)]), \(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]) GMT"
    }

    /// Returns the instant of a text; `nil` if the text is invalid.
    package static func instant(_ text: String) -> Instant? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: parts[2]), parts[1].count == 2,
            parts[3].count == 4
        else { return nil }
        let number = month + 1
        return Instant("\(parts[3])-\(number < 10 ? "0" : "")\(number)-\(parts[1])T\(parts[4])Z")
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    /// The weekdays, beginning with Thursday, the weekday of 1 January 1970.
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
}
