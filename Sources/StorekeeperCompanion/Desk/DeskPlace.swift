import Storekeeper
import StorekeeperPages

/// The choices that determine a page of the desk and its URL: a customer, the chosen times, and the language.
struct DeskPlace: Sendable {
    /// The customer; empty if none is chosen.
    var customer = ""
    /// The instant at which the answers apply; `nil` for now.
    var at: Instant?
    /// The instant up to which evidence counts, by the time at which the vault learned of the evidence; `nil` for now.
    var asKnownAt: Instant?
    /// The text that was typed as a time but is not valid; in this case, the page shows the present answers.
    var misreadTime: String?
    /// The part of the timeline that is shown; `nil` for the whole timeline.
    var span: TimelineSpan?
    /// The language that a link has chosen; `nil` if no link has chosen a language.
    var chosen: DeskLanguage?

    /// Whether the page shows the present answers, from all evidence that the vault has now.
    var isNow: Bool { at == nil && asKnownAt == nil }

    /// The URL parameters for these choices.
    var fields: [(String, String)] {
        var fields: [(String, String)] = customer.isEmpty ? [] : [("customer", customer)]
        fields += [("at", at), ("asKnownAt", asKnownAt)].compactMap { name, instant in
            instant.map { (name, $0.description) }
        }
        if let span { fields.append(("span", span.text)) }
        return fields + (chosen.map { [("lang", $0.rawValue)] } ?? [])
    }

    /// Returns the URL of a page of the desk, beginning with its path.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - more: Further parameters.
    ///   - fragment: The id of the element to show.
    func address(_ path: String = "/desk", _ more: [(String, String)] = [], fragment: String? = nil) -> String {
        let query = (fields + more).map { "\($0)=\($1.percentEncoded)" }.joined(separator: "&")
        return path + (query.isEmpty ? "" : "?" + query) + (fragment.map { "#" + $0 } ?? "")
    }

    /// Returns a copy for another customer, without the chosen times.
    func ofCustomer(_ customer: String) -> DeskPlace {
        var place = self
        (place.customer, place.at, place.asKnownAt, place.span) = (customer, nil, nil, nil)
        return place
    }

    /// A copy that shows the whole timeline.
    var unzoomed: DeskPlace {
        var place = self
        place.span = nil
        return place
    }

    /// Returns a copy with other chosen times.
    func at(_ at: Instant?, asKnownAt: Instant? = nil) -> DeskPlace {
        var place = self
        (place.at, place.asKnownAt) = (at, asKnownAt)
        return place
    }

    /// Returns a copy with another language.
    func speaking(_ language: DeskLanguage) -> DeskPlace {
        var place = self
        place.chosen = language
        return place
    }
}
