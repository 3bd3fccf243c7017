import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// All that a page says, as its template asks for it.
///
/// The names of members are the template's; a template that asks for a name finds the innermost that has it.
struct PageContent {
    /// A link, and whether it leads to where one is.
    typealias Link = PageLink

    /// One value of several.
    struct Choice {
        let value: String
        let label: String
        let isChosen: Bool
    }

    /// Which part of a long list is shown, and the way to the others.
    struct Paging {
        let first: Int
        let last: Int
        let earlier: [Link]
        let later: [Link]
    }

    /// Something to be told above all else.
    struct Notice {
        let heading: String
        let lines: [String]
    }

    /// One of the customers.
    struct CustomerRow {
        let name: String
        let address: String
        let isCurrent: Bool
        let marks: [String]
    }

    /// A way to one of very many customers.
    struct CustomerSearch {
        let peopleCount: Int
        /// The parts of the address that stay.
        let kept: [ActForm.Hidden]
    }

    let title: String
    let story: String
    let environment: String
    /// The bundle id where there is one app; the others have links.
    let onlyApp: String?
    let apps: [Link]
    let now: String
    let nowISO: String
    let coming: String?
    /// What a jump that was refused had in its field.
    let jump: String
    let version: String
    let formToken: String
    let back: String
    let everyone: Link
    let customers: [CustomerRow]
    /// How one comes to the others, where not all are shown.
    let search: CustomerSearch?
    let person: String?
    /// The name that was asked for, where nobody has it.
    let stranger: String?
    /// The transactions about which a customer is asked something.
    var questions: [Link] = []
    let views: [Link]
    var failure: Notice?
    var success: Notice?
    var newPerson: ActForm?
    var suggestions: [SuggestionList] = []
    var transactions: TransactionsContent?
    var answers: AnswersContent?
    var notifications: NotificationsContent?
    var happenings: StoryContent?
    var settings: StoreContent?
    var saving: ScenarioContent?

    /// Values that a text field suggests.
    struct SuggestionList {
        let listID: String
        let values: [String]
    }
}

/// The form of an act, as the template asks for it.
struct ActForm {
    /// A field beside the subject.
    struct Field {
        let fieldID: String
        let fieldName: String
        let fieldLabel: String
        let isNeeded: Bool
        var text: TextControl?
        var number: NumberControl?
        var choices: ChoiceControl?
    }

    struct TextControl {
        let placeholder: String
        let list: String?
        let typed: String
    }

    struct NumberControl {
        let least: Int
        let most: Int
        let typed: String
    }

    struct ChoiceControl {
        let none: String?
        let values: [PageContent.Choice]
    }

    /// What the page fills in.
    struct Hidden {
        let name: String
        let value: String
    }

    let formID: String
    let word: String
    let actTitle: String
    let help: String
    let hidden: [Hidden]
    let fields: [Field]
    /// Whether it wants to be confirmed.
    let isDangerous: Bool
    /// Whether it was refused, so that its fields are to be seen.
    let isOpen: Bool
    /// Whether it can be done now.
    var isPossible = true
}
