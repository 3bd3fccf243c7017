import Storekeeper
import StorekeeperSimulator

/// An action of the page, which performs scenario steps of one kind.
///
/// The page has a form for each action in ``all``; steps of other kinds cannot be carried out on the page.
struct PageAction: Sendable {
    let word: StepKind
    /// The place and the conditions of the form.
    let form: StepForm

    var subject: StepSubject { word.subject }

    /// The keys with a field in the form, in addition to the field for the action's subject.
    var fields: [any StepParameter] { word.parameters }

    /// The label of the action's button.
    var title: String { form.title ?? word.name.prefix(1).uppercased() + word.name.dropFirst() }

    /// A short description, which says `customer` where scenarios say `person`.
    var help: String { word.help.replacing("person", with: "customer").replacing("everyone", with: "all customers") }

    /// Returns the action that performs steps with a keyword; `nil` if the page has no such action.
    static func named(_ word: String) -> PageAction? { all.first { $0.word.name == word } }

    /// Returns the actions of a part of the page, in order.
    static func all(at place: StepForm.Place) -> [PageAction] { all.filter { $0.form.place == place } }

    /// All actions, those of one part of the page in order.
    static let all = sorted(StepKind.all.compactMap { kind in kind.form.map { PageAction(word: kind, form: $0) } }) {
        $0.form.rank
    }

    /// The actions whose buttons are next to a purchase if they are possible, in order.
    static let near = sorted(all.filter { $0.form.rankNearPurchase != nil }) { $0.form.rankNearPurchase ?? 0 }

    /// Returns actions by their rank; actions of the same rank keep their order.
    private static func sorted(_ actions: [PageAction], by rank: (PageAction) -> Int) -> [PageAction] {
        actions.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(\.element)
    }

    /// Whether a button is sufficient for the action on a customer.
    var isOneClick: Bool { subject == .person && fields.isEmpty && !form.isDangerous }
}
