import Storekeeper
import StorekeeperCharts
import StorekeeperPages
import StorekeeperSimulator

/// The differences in the engine's answers about customers between the ends of two branches.
///
/// Answers can differ only for customers who have happenings after the last common step of the branches.
struct StoryComparison: Sendable {
    /// The end of a branch.
    struct Side: Sendable {
        let branch: StoryTree.Branch
        let step: StoryTree.Step
        /// The store's time at the end of the branch.
        var now: Instant { step.at }
    }

    /// An answer about a customer at the ends of both branches.
    struct Row: Hashable, Sendable {
        let customer: CustomerID
        let app: String
        /// The product or balance that the answer is about.
        let subject: String
        /// The engine's answer at the end of the first branch; `nil` if the customer never had the product or balance
        /// in this branch.
        let first: String?
        let second: String?

        var differs: Bool { first != second }
    }

    let first: Side
    let second: Side
    /// The last step that both branches contain.
    let common: StoryTree.Step
    /// The rows, with differing answers before equal answers.
    let rows: [Row]
    /// The number of customers who have happenings after the common step.
    let customerCount: Int
    /// Whether rows or customers were left out.
    let isCut: Bool

    /// The maximum numbers of compared customers and of rows.
    static let (maximumCustomers, maximumRows) = (40, 150)

    /// Compares two branches.
    ///
    /// - Throws: ``StoryTree/Refusal`` if a branch does not exist; an error of the cryptographic library.
    init(of first: Int, and second: Int, in served: ServedScenario) throws {
        let story = served.recorder.story
        let tree = story.tree
        func side(_ id: Int) throws -> (Side, ServedScenario) {
            let branch = try tree.branch(id)
            let step = try tree.step(branch.tip)
            guard step.id != tree.current,
                let scenario = story.beginnings[story.beginning(of: step.id)]?.scenario
            else { return (Side(branch: branch, step: step), served) }
            let store = try story.store(at: step.id, authority: served.store.authority)
            return (Side(branch: branch, step: step), served.showing(store, scenario))
        }
        let (left, right) = (try side(first), try side(second))
        (self.first, self.second) = (left.0, right.0)
        let common = try tree.commonStep(of: left.0.step.id, and: right.0.step.id)
        self.common = common
        let base = story.beginning(of: common.id)
        var subjects: Set<Subject> = []
        for (side, served) in [left, right] {
            // If another scenario was loaded after the common step, the stores have no common happenings, so all
            // happenings are considered.
            let isSame = story.beginning(of: side.step.id) == base
            for happening in served.store.happenings(after: isSame ? common.happenings : 0) {
                guard let customer = happening.customer, let app = happening.app else { continue }
                subjects.insert(Subject(customer: customer, app: app))
            }
        }
        let all = subjects.sorted { ($0.customer.rawValue, $0.app) < ($1.customer.rawValue, $1.app) }
        var rows: [Row] = []
        for subject in all.prefix(Self.maximumCustomers) {
            let (one, other) = (Self.answers(about: subject, in: left.1), Self.answers(about: subject, in: right.1))
            for name in Set(one.keys).union(other.keys).sorted() {
                rows.append(
                    Row(
                        customer: subject.customer, app: subject.app, subject: name, first: one[name],
                        second: other[name]))
            }
        }
        rows = rows.filter(\.differs) + rows.filter { !$0.differs }
        self.rows = Array(rows.prefix(Self.maximumRows))
        customerCount = Set(all.map(\.customer)).count
        isCut = rows.count > Self.maximumRows || all.count > Self.maximumCustomers
    }

    private struct Subject: Hashable {
        let customer: CustomerID
        let app: String
    }

    /// Returns the answers about a customer as text, by the ids of products and balances.
    private static func answers(about subject: Subject, in served: ServedScenario) -> [String: String] {
        guard let query = try? CustomerAnswersQuery(of: subject.customer, app: subject.app, in: served) else {
            return [:]
        }
        var answers: [String: String] = [:]
        for product in query.resolution.products {
            let answer = product.timeline.value(at: query.at)
            if case .never = answer { continue }
            let end = product.timeline.run(at: query.at).to.map { " until \(PageTime.text($0))" } ?? ""
            answers[product.id.rawValue] = "\(answer.word) (\(answer.reasonWord))\(answer.isEntitled ? end : "")"
        }
        for balance in query.resolution.balances {
            let totals = balance.totals(at: query.at)
            guard totals.credited != 0 else { continue }
            answers[balance.id.rawValue] = "\(totals.balance) of \(totals.credited) bought"
        }
        return answers
    }
}

extension StoryComparison: JSONShaped {
    /// The comparison as a JSON document.
    static let shape = JSONShape<StoryComparison>([
        .member("first") { $0.first }, .member("second") { $0.second }, .member("common") { $0.common },
        .member("customers", "The number of customers about whom something has happened since the common step.") {
            $0.customerCount
        },
        .member("isCut", "Whether customers or rows were left out.") { $0.isCut }, .member("rows") { $0.rows },
    ])
}

extension StoryComparison.Side: JSONShaped {
    static let shape = JSONShape<StoryComparison.Side>(
        "BranchEnd",
        [
            .member("branch") { $0.branch.id }, .member("name") { $0.branch.name }, .member("step") { $0.step.id },
            .member("now") { $0.now },
        ])
}

extension StoryComparison.Row: JSONShaped {
    static let shape = JSONShape<StoryComparison.Row>([
        .member("person") { $0.customer.rawValue }, .member("app") { $0.app },
        .member("subject", "A product or a balance.") { $0.subject },
        .member("first", "The engine's answer at the end of the first branch.") { $0.first },
        .member("second") { $0.second }, .member("differs") { $0.differs },
    ])
}
