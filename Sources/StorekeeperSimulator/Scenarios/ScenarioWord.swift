/// A keyword with which a step of a scenario can begin.
package struct ScenarioWord: Sendable {
    /// The keyword.
    package let name: String
    /// The placeholder for the value after the keyword, such as `PRODUCT`.
    package let value: String
    /// The further keys that a step with this keyword can have, without ``commonKeys``.
    package let keys: [String]
    /// A short description.
    package let help: String

    /// The further keys that every step can have.
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

    /// All keywords.
    package static let all: [ScenarioWord] = [
        ScenarioWord("advance", "SPAN", "advances time by a span such as 31 days, or to the 'next event'"),
        ScenarioWord(
            "advance to", "TIME", "advances time to an instant; 'now' is the machine's time"),
        ScenarioWord("buy", "PRODUCT", person + purchase, "buys in the app"),
        ScenarioWord("buy outside app", "PRODUCT", person, "buys on the App Store's page"),
        ScenarioWord("redeem", "PRODUCT", person + ["code"], "redeems an offer code"),
        ScenarioWord("intend", "PRODUCT", person, "selects a promoted product on the App Store's page"),
        ScenarioWord("approve", "PURCHASE", person, "approves a pending purchase as the guardian"),
        ScenarioWord("decline", "PURCHASE", person, "declines a pending purchase as the guardian"),
        ScenarioWord("resolve issue", "PURCHASE", person, "resolves an interruption or a billing problem"),
        ScenarioWord("finish", "PURCHASE", person, "finishes a transaction after its delivery"),
        ScenarioWord("token", "PURCHASE", person + ["to"], "sets or removes the account token"),
        ScenarioWord("delete", "PURCHASE", person, "deletes a transaction from the App Store"),
        ScenarioWord("clear", "PERSON", "deletes all transactions of a person or of everyone"),
        ScenarioWord("cancel", "PURCHASE", person, "turns auto-renewal off"),
        ScenarioWord("resume", "PURCHASE", person, "turns auto-renewal on"),
        ScenarioWord("change plan", "PRODUCT", person + ["billing"], "changes to another product of the group"),
        ScenarioWord("apply offer", "PURCHASE", person + ["offer"], "applies an offer to an active subscription"),
        ScenarioWord("force renewal", "PRODUCT", person, "ends the period now and tries to renew"),
        ScenarioWord("expire", "PRODUCT", person, "ends the period now, without renewal"),
        ScenarioWord("fail billing", "PERSON", "makes payments fail from now on"),
        ScenarioWord("fix billing", "PERSON", "makes payments succeed again"),
        ScenarioWord("retry billing", "PURCHASE", person, "retries a failed renewal now"),
        ScenarioWord("extend", "PURCHASE", person + ["days", "reason", "request"], "extends a period"),
        ScenarioWord(
            "extend all", "PRODUCT", ["days", "reason", "storefronts", "request"],
            "extends the periods of all subscribers"),
        ScenarioWord("price", "PRODUCT", ["to", "consent", "billing"], "changes a price"),
        ScenarioWord("ask consent", "PURCHASE", person, "asks for consent to a price increase"),
        ScenarioWord("consent", "PURCHASE", person + ["answer"], "answers the price consent request"),
        ScenarioWord("remove from sale", "PRODUCT", "removes a product from sale"),
        ScenarioWord("put on sale", "PRODUCT", "offers a product for sale again"),
        ScenarioWord("request refund", "PURCHASE", person + ["reason"], "requests a refund in the app"),
        ScenarioWord(
            "refund", "PURCHASE", person + ["percent", "seats", "reason"], "refunds all or a part of a purchase"),
        ScenarioWord("decline refund", "PURCHASE", person, "declines a requested refund"),
        ScenarioWord("reverse refund", "PURCHASE", person, "reverses a refund"),
        ScenarioWord("revoke assignment", "PURCHASE", person, "revokes an assigned subscription"),
        ScenarioWord(
            "advanced commerce", "PURCHASE", person + ["info", "change"],
            "describes or changes the items of a generic product"),
        ScenarioWord(
            "seats", "PURCHASE", person + ["number", "invitations"], "sets the seats of a group's subscription"),
        ScenarioWord("unclaim seats", "PURCHASE", person + ["claims"], "takes claimed seats of a group away"),
        ScenarioWord(
            "claim seat", "PURCHASE", person + ["claim", "request", "member"],
            "claims a seat of a group, as the app's server does"),
        ScenarioWord(
            "release seat", "PURCHASE", person + ["claim"], "releases a claimed seat, as the app's server does"),
        ScenarioWord(
            "associate seat", "PURCHASE", person + ["claim", "member"], "states who occupies a claimed seat"),
        ScenarioWord(
            "consumption", "PURCHASE", person + ["delivery", "preference"],
            "sends consumption information to the App Store"),
        ScenarioWord(
            "fault", "PLACE", ["how", "times", "span"],
            "makes requests or notifications fail; 'none' ends all faults"),
        ScenarioWord("test notification", "", "requests a notification of the type TEST"),
        ScenarioWord("new person", "PERSON", ["storefront"], "creates an Apple Account"),
        ScenarioWord("storefront", "PERSON", ["to"], "moves a person to another storefront"),
        ScenarioWord(
            "app transaction", "PERSON", ["version", "date", "revoked"],
            "sets when, and in which version, a person first got the app"),
        ScenarioWord("new family", "PERSON", "creates a family with its organiser"),
        ScenarioWord("join family", "PERSON", ["of"], "adds a person to another's family"),
        ScenarioWord("leave family", "PERSON", "removes a person from their family"),
        ScenarioWord("make organizer", "PERSON", "makes a member the organiser"),
        ScenarioWord("share", "PRODUCT", person, "shares a product with the family"),
        ScenarioWord("stop sharing", "PRODUCT", person, "stops sharing a product"),
        ScenarioWord("share purchases", "PERSON", "turns purchase sharing of a family on"),
        ScenarioWord("stop sharing purchases", "PERSON", "turns purchase sharing of a family off"),
        ScenarioWord("set", "SETTING: VALUE", "changes settings of the test environment"),
        ScenarioWord("reset settings", "", "resets all settings"),
        ScenarioWord("spend", "NUMBER BALANCE", person + ["key"], "subtracts from a balance"),
        ScenarioWord("grant", "NUMBER BALANCE", person + ["key"], "adds to a balance"),
        ScenarioWord(
            "grant access", "PRODUCT or FEATURE", person + ["until", "key"], "gives access without a purchase"),
        ScenarioWord("revoke access", "KEY", person, "ends access that was granted with a key"),
        ScenarioWord("expect", "ANSWER", person, "checks the engine's answers"),
        ScenarioWord("expect receipt", "ANSWER", person, "checks the answers that the app receipt gives by itself"),
        ScenarioWord("expect signed", "MEMBERS", person + ["purchase"], "checks members of signed data"),
        ScenarioWord("notifications", "LIST", person, "checks that exactly these were sent since the last check"),
        ScenarioWord("happened", "LIST", person, "checks that exactly this happened since the last check"),
        ScenarioWord("events", "LIST", person, "checks the engine's exact events since the last check"),
    ]

    private init(_ name: String, _ value: String, _ help: String) { self.init(name, value, [], help) }

    /// Returns the keyword with a name.
    package static func named(_ name: String) -> ScenarioWord? { all.first { $0.name == name } }
}
