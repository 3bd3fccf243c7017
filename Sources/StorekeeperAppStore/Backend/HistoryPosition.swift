import Storekeeper

/// The position of a reader in the histories of a customer's anchors, which is stored as the text of a cursor.
///
/// Anchors are read in order of environment and id, so that the next anchor is known even if the current anchor was
/// removed.
struct HistoryPosition: Hashable, Sendable {
    /// The anchor that is being read.
    let anchor: CustomerAnchor
    /// The revision in the last page that was read of the anchor's history; `nil` before the first page.
    let revision: String?

    init(_ anchor: CustomerAnchor, revision: String? = nil) {
        self.anchor = anchor
        self.revision = revision
    }

    /// Parses a cursor; `nil` if the text is not a valid cursor.
    init?(_ cursor: HistoryCursor) {
        let parts = cursor.rawValue.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "1" else { return nil }
        let environment = AppStore.Environment(rawValue: String(parts[1]))
        anchor = CustomerAnchor(environment: environment, id: String(parts[2]))
        // An empty text stands for `nil`, because the App Store's revisions are never empty.
        revision = parts[3].isEmpty ? nil : String(parts[3])
    }

    /// The cursor, whose text consists of a version, the environment, the id and the revision, separated by colons.
    ///
    /// An environment or an id contains no colon.
    var cursor: HistoryCursor {
        HistoryCursor(rawValue: "1:\(anchor.environment.rawValue):\(anchor.id):\(revision ?? "")")
    }

    /// Returns the anchors in the order in which their histories are read, without duplicates.
    static func ordered(_ anchors: [CustomerAnchor]) -> [CustomerAnchor] {
        Set(anchors).sorted(by: isBefore)
    }

    /// Returns whether the history of the left anchor is read before the history of the right anchor.
    static func isBefore(_ left: CustomerAnchor, _ right: CustomerAnchor) -> Bool {
        (left.environment.rawValue, left.id) < (right.environment.rawValue, right.id)
    }
}
