import FoundationEssentials
import StorekeeperEngine

/// Typed access to the members of a line of an archive.
package struct ArchiveMembers {
    /// An error in a line.
    package struct Fault: Error {
        /// What is wrong with the line, for people.
        package let message: String

        package init(message: String) { self.message = message }
    }

    let object: JSONObject

    package init(_ object: JSONObject) { self.object = object }

    package func text(_ name: String) throws(Fault) -> String {
        guard let text = object[name]?.string else { throw Fault(message: "'\(name)' is missing or not text") }
        return text
    }

    package func whole(_ name: String) throws(Fault) -> Int64 {
        guard let number = object[name]?.int64 else {
            throw Fault(message: "'\(name)' is missing or not a whole number")
        }
        return number
    }

    package func time(_ name: String) throws(Fault) -> Instant {
        guard let instant = try optionalTime(name) else { throw Fault(message: "'\(name)' is missing") }
        return instant
    }

    package func optionalTime(_ name: String) throws(Fault) -> Instant? {
        guard let value = object[name] else { return nil }
        guard let instant = value.string.flatMap({ Instant($0) }) else {
            throw Fault(message: "'\(name)' is not a time")
        }
        return instant
    }

    func environment() throws(Fault) -> AppStore.Environment {
        AppStore.Environment(rawValue: try text("environment"))
    }

    package func subject() throws(Fault) -> BindingSubject {
        if object["token"] != nil {
            guard let token = UUID(uuidString: try text("token")) else {
                throw Fault(message: "'token' is not a UUID")
            }
            return .token(token)
        }
        return .chain(
            ChainID(
                bundleID: try text("bundleID"), environment: try environment(),
                originalID: Transaction.ID(rawValue: try text("originalTransactionID"))))
    }
}
