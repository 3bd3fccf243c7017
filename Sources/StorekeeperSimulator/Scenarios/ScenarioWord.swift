/// A word with which a step of a scenario can begin.
package struct ScenarioWord: Sendable {
    /// The word.
    package let name: String
    /// The value after the word, such as `PRODUCT`.
    package let value: String
    /// The keys allowed with it, except those of every step.
    package let keys: [String]
    /// A short description.
    package let help: String

    /// The keys allowed with every word.
    package static let commonKeys = ["as", "app", "outcome", "error"]

    private init(_ name: String, _ value: String, _ keys: [String] = [], _ help: String) {
        self.name = name
        self.value = value
        self.keys = keys
        self.help = help
    }

    private static let person = ["by", "for", "of"]
    private static let purchase = [
        "quantity", "offer", "token", "introductory", "billing", "ask to buy", "date", "renews", "cancelled",
    ]

    /// All words.
    package static let all: [ScenarioWord] = [
        ScenarioWord("advance", "SPAN", "lets time pass: 31 days, 2 months; 'next event' goes to the next event"),
        ScenarioWord(
            "advance to", "TIME", "lets time pass up to an instant; 'now' goes to what this machine's clock shows"),
        ScenarioWord("buy", "PRODUCT", person + purchase, "buys inside the app"),
        ScenarioWord("buy outside app", "PRODUCT", person, "buys on the App Store's page"),
        ScenarioWord("redeem", "PRODUCT", person + ["code"], "redeems an offer code"),
        ScenarioWord("intend", "PRODUCT", person, "taps a promoted product on the App Store's page"),
        ScenarioWord("approve", "PURCHASE", person, "approves a purchase that waits for a guardian"),
        ScenarioWord("decline", "PURCHASE", person, "declines a purchase that waits for a guardian"),
        ScenarioWord("resolve issue", "PURCHASE", person, "resolves an interruption or a billing problem"),
        ScenarioWord("finish", "PURCHASE", person, "notes that the goods were handed out"),
        ScenarioWord("token", "PURCHASE", person + ["to"], "gives another account token, or none"),
        ScenarioWord("delete", "PURCHASE", person, "takes a transaction out of the App Store"),
        ScenarioWord("clear", "PERSON", "takes all transactions out, of a person or of everyone"),
        ScenarioWord("cancel", "PURCHASE", person, "turns automatic renewal off"),
        ScenarioWord("resume", "PURCHASE", person, "turns automatic renewal on"),
        ScenarioWord("change plan", "PRODUCT", person + ["billing"], "chooses another product of the group"),
        ScenarioWord("apply offer", "PURCHASE", person + ["offer"], "applies an offer to a running subscription"),
        ScenarioWord("force renewal", "PRODUCT", person, "ends the period now and tries to renew"),
        ScenarioWord("expire", "PRODUCT", person, "ends the period now, without renewal"),
        ScenarioWord("fail billing", "PERSON", "lets payments fail from now on"),
        ScenarioWord("fix billing", "PERSON", "lets payments succeed again"),
        ScenarioWord("retry billing", "PURCHASE", person, "tries at once to charge what is in billing retry"),
        ScenarioWord("extend", "PURCHASE", person + ["days", "reason"], "makes a period longer"),
        ScenarioWord(
            "extend all", "PRODUCT", ["days", "reason", "storefronts", "request"], "makes all periods longer"),
        ScenarioWord("price", "PRODUCT", ["to", "consent", "billing"], "changes a price"),
        ScenarioWord("ask consent", "PURCHASE", person, "asks for consent to a price increase"),
        ScenarioWord("consent", "PURCHASE", person + ["answer"], "answers that question"),
        ScenarioWord("remove from sale", "PRODUCT", "takes a product from sale"),
        ScenarioWord("put on sale", "PRODUCT", "puts it back"),
        ScenarioWord("request refund", "PURCHASE", person + ["reason"], "asks for a refund inside the app"),
        ScenarioWord("refund", "PURCHASE", person + ["percent", "reason"], "refunds, wholly or in part"),
        ScenarioWord("decline refund", "PURCHASE", person, "declines a refund that was asked for"),
        ScenarioWord("reverse refund", "PURCHASE", person, "takes a refund back"),
        ScenarioWord("revoke assignment", "PURCHASE", person, "takes a subscription away in another's name"),
        ScenarioWord(
            "consumption", "PURCHASE", person + ["delivery", "preference"],
            "tells the App Store what became of a purchase"),
        ScenarioWord(
            "fault", "PLACE", ["how", "times", "span"],
            "lets requests or notifications go wrong; 'none' ends all faults"),
        ScenarioWord("test notification", "", "asks for a notification of the type TEST"),
        ScenarioWord("new person", "PERSON", ["storefront"], "makes an Apple Account"),
        ScenarioWord("storefront", "PERSON", ["to"], "moves a person to another storefront"),
        ScenarioWord("new family", "PERSON", "makes a family of an organiser"),
        ScenarioWord("join family", "PERSON", ["of"], "adds a person to another's family"),
        ScenarioWord("leave family", "PERSON", "removes a person from their family"),
        ScenarioWord("make organizer", "PERSON", "makes a member the organiser"),
        ScenarioWord("share", "PRODUCT", person, "shares a product with the family"),
        ScenarioWord("stop sharing", "PRODUCT", person, "no longer shares a product"),
        ScenarioWord("share purchases", "PERSON", "turns purchase sharing of a family on"),
        ScenarioWord("stop sharing purchases", "PERSON", "turns purchase sharing of a family off"),
        ScenarioWord("set", "SETTING: VALUE", "changes settings of the test environment"),
        ScenarioWord("reset settings", "", "sets all settings back"),
        ScenarioWord("spend", "NUMBER BALANCE", person + ["key"], "takes from a balance"),
        ScenarioWord("grant", "NUMBER BALANCE", person + ["key"], "adds to a balance"),
        ScenarioWord("expect", "ANSWER", person, "looks whether the engine answers so"),
        ScenarioWord("expect signed", "MEMBERS", person + ["purchase"], "looks whether this was signed"),
        ScenarioWord("notifications", "LIST", person, "looks whether exactly these were sent since the last look"),
        ScenarioWord("happened", "LIST", person, "looks whether exactly this happened since the last look"),
        ScenarioWord("events", "LIST", person, "looks whether the engine told exactly this since the last look"),
    ]

    private init(_ name: String, _ value: String, _ help: String) { self.init(name, value, [], help) }

    /// Returns the word with a name.
    package static func named(_ name: String) -> ScenarioWord? { all.first { $0.name == name } }
}
