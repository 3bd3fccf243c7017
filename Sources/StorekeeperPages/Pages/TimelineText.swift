import StorekeeperCharts

/// The English texts of a timeline on a page, except the texts of its picture; names in braces are replaced by values.
package enum TimelineText: String, CaseIterable, Sendable {
    case heading = "Timeline of {customer}"
    case parts = "Part of the timeline"
    case zoomIn = "Zoom in"
    case zoomOut = "Zoom out"
    case earlier = "Earlier"
    case later = "Later"
    case month = "1 month"
    case oneMonth = "One month"
    case year = "1 year"
    case oneYear = "One year"
    case all = "All"
    case wholeTimeline = "The whole timeline"
    case invalid = "'{typed}' is not a valid time: write it like 2026-03-01 or 2026-03-01 09:30"
    case asOf = "As of {time} UTC"
    case expectedThen = "what is expected for then"
    case knownThen = "what was known then"
    case toPresent = "Back to the present"
    case changed = "{product} was {then} as far as was known then; today it is known that it was {now}."
    case region = "Timeline of {customer}, drawn"
    case keys = "plus and minus zoom, the arrow keys move, 0 shows all"
    case picture = "The answers about each product and feature over time; the table below contains the same."
    case legend = "Legend"
    case next = "Next: {event} {time} UTC ({distance})."
    case noNext = "No change is expected."
    case form = "Answers at an instant"
    case field = "answers as of"
    case show = "Show"
    case table = "As a table"
    case caption = "The timeline as a table"
    case someRuns = "The first {count} of {all} rows of this part of the timeline; zoom in for the others."
    case subject = "Product or feature"
    case answer = "Answer"
    case reason = "Reason"
    case from = "From"
    case until = "Until"
    case ever
    case noEnd = "no end known"

    /// The name of the text in a table of translations.
    package var name: String { "page.\(self)" }
}

extension TimelineWords {
    /// Returns a text in which values replace the names in braces.
    func callAsFunction(_ text: TimelineText, _ values: KeyValuePairs<String, String> = [:]) -> String {
        self(text.name, text.rawValue, values)
    }

    /// The texts by their names, for a template.
    var page: [String: String] {
        Dictionary(uniqueKeysWithValues: TimelineText.allCases.map { ("\($0)", self($0)) })
    }
}
