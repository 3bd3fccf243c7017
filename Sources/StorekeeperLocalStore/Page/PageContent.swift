import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

/// The content of a page, in the structure of its template.
///
/// Properties have the names of the template's variables. The template looks up a variable first in the innermost
/// value, and then in the enclosing values.
struct PageContent {
    /// A link of the page, with a flag that marks the link to the current page.
    typealias Link = PageLink

    /// A value that the user can choose from a list.
    struct Choice {
        let value: String
        let label: String
        let isChosen: Bool
    }

    /// The page numbers or times of the displayed part of a long list, with links to other parts.
    struct Paging {
        /// The displayed part in words: `1 to 200 shown`.
        let span: String
        let earlier: [Link]
        let later: [Link]
    }

    /// A prominent message.
    struct Notice {
        let heading: String
        let lines: [String]
    }

    /// A customer in the list.
    struct CustomerRow {
        let name: String
        let address: String
        let isCurrent: Bool
        let marks: [String]
    }

    /// A search form, for a store with very many customers.
    struct CustomerSearch {
        let peopleCount: Int
        /// The parameters of the page's URL, which the form submits again as hidden fields.
        let kept: [PageActionForm.Hidden]
    }

    /// The next event that the passage of time causes.
    struct Coming {
        /// The event: `Renewal of Gold for anna`.
        let what: String
        let time: String
        /// The event, its time and the distance from now: `Renewal of Gold for anna, 2026-02-01 09:00 (in 12 days)`.
        let whole: String
    }

    let title: String
    let story: String
    let environment: String
    /// The bundle id if the store has only one app; `nil` if ``apps`` contains a link to each of several apps.
    let onlyApp: String?
    let apps: [Link]
    let now: String
    let nowISO: String
    /// The next event; `nil` if nothing is due.
    let coming: Coming?
    /// Whether the store's clock is later than this machine's clock.
    let isAhead: Bool
    /// The submitted target of a jump in time that was refused.
    let jump: String
    /// The reason why the jump in time was refused.
    let jumpProblem: String?
    let version: String
    let formToken: String
    let back: String
    let everyone: Link
    let customers: [CustomerRow]
    /// The search form, if not all customers are listed.
    let search: CustomerSearch?
    let person: String?
    /// The requested name, if no customer has this name.
    let stranger: String?
    /// Links to the transactions that wait for their customer's consent to a higher price.
    var questions: [Link] = []
    let views: [Link]
    var failure: Notice?
    var success: Notice?
    var newPerson: PageActionForm?
    var suggestions: [SuggestionList] = []
    var head: CustomerHead?
    /// The present answers about the selected customer's products.
    var present: PresentContent?
    var timeline: TimelineContent?
    var transactions: TransactionsContent?
    var answers: AnswersContent?
    var notifications: NotificationsContent?
    var happenings: StoryContent?
    /// The steps before and after the current step of the story, shown next to each view except the view of the story.
    var side: StorySideContent?
    /// The steps and branches, which only the view of the story shows.
    var book: StoryBookContent?
    var settings: StoreContent?
    var catalog: CatalogContent?
    var saving: ScenarioContent?

    /// The properties of the selected customer, and the actions on the customer that need only a button.
    struct CustomerHead {
        let owner: String
        let facts: [Fact]
        /// The buttons of the switch that lets payments succeed or fail.
        let payments: [PageActionForm]
        let oneClick: [PageActionForm]
    }

    /// The suggestions of a text field.
    struct SuggestionList {
        let listID: String
        let values: [String]
    }
}

/// The form of an action, in the structure of its template.
struct PageActionForm {
    /// A field of the form, other than the field for the action's subject.
    struct Field {
        let fieldID: String
        let fieldName: String
        let fieldLabel: String
        let isNeeded: Bool
        var text: TextControl?
        var number: NumberControl?
        var choices: ChoiceControl?
        /// The reason why the typed value was refused.
        var problem: String?
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

    /// A field that the page fills in.
    struct Hidden {
        let name: String
        let value: String
    }

    let formID: String
    let word: String
    var actTitle: String
    let help: String
    let hidden: [Hidden]
    let fields: [Field]
    /// Whether the user must confirm the action.
    let isDangerous: Bool
    /// Whether the form was refused, so that its fields must be visible.
    let isOpen: Bool
    /// Whether the action is possible now.
    var isPossible = true
    /// Whether the button is the pressed button of a switch.
    var isPressed = false
    /// The label of the button in a row that already names the subject of the action.
    var shortTitle = ""
    /// The URL to which the form is sent.
    var target = "/page/steps"
}
