import Storekeeper
import StorekeeperPages

/// The subject of a page of the desk: a customer, the chosen times, and the language.
struct DeskPlace: Sendable {
    /// The customer; empty if none is chosen.
    var customer = ""
    /// The instant at which the answers apply; `nil` for now.
    var at: Instant?
    /// The instant of the knowledge: the answers use only evidence that the vault had by this instant; `nil` for now.
    var asKnownAt: Instant?
    /// The text that was typed as a time but is not valid; in this case, the page shows the present answers.
    var misreadTime: String?
    /// The part of the timeline that is shown; `nil` for the whole timeline.
    var span: TimelineSpan?
    /// The language that a link has chosen; `nil` if no link has chosen a language.
    var chosen: DeskLanguage?

    /// Whether the page shows the present answers, from all evidence that the vault has now.
    var isNow: Bool { at == nil && asKnownAt == nil }

    /// The parameters of an address for this place.
    var fields: [(String, String)] {
        var fields: [(String, String)] = customer.isEmpty ? [] : [("customer", customer)]
        fields += [("at", at), ("asKnownAt", asKnownAt)].compactMap { name, instant in
            instant.map { (name, $0.description) }
        }
        if let span { fields.append(("span", span.text)) }
        return fields + (chosen.map { [("lang", $0.rawValue)] } ?? [])
    }

    /// Returns an address of the desk.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - more: Further parameters.
    ///   - fragment: The id of the element to show.
    func address(_ path: String = "/desk", _ more: [(String, String)] = [], fragment: String? = nil) -> String {
        let query = (fields + more).map { "\($0)=\($1.percentEncoded)" }.joined(separator: "&")
        return path + (query.isEmpty ? "" : "?" + query) + (fragment.map { "#" + $0 } ?? "")
    }

    /// Returns the place for another customer at the present.
    func ofCustomer(_ customer: String) -> DeskPlace {
        var place = self
        (place.customer, place.at, place.asKnownAt, place.span) = (customer, nil, nil, nil)
        return place
    }

    /// This place, but with the whole timeline shown.
    var unzoomed: DeskPlace {
        var place = self
        place.span = nil
        return place
    }

    /// Returns the place at another time.
    func at(_ at: Instant?, asKnownAt: Instant? = nil) -> DeskPlace {
        var place = self
        (place.at, place.asKnownAt) = (at, asKnownAt)
        return place
    }

    /// Returns the place in a language.
    func speaking(_ language: DeskLanguage) -> DeskPlace {
        var place = self
        place.chosen = language
        return place
    }
}
