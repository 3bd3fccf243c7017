import Storekeeper
import StorekeeperPages
import StorekeeperSimulator

extension PageBuilder {
    /// The customer of the answers; by default the first one.
    private var asked: CustomerID? { location.person.map { CustomerID(rawValue: $0) } ?? accounts.first?.name }

    /// Returns the engine's answers about a customer.
    ///
    /// - Throws: ``SimulatorError`` for an unknown app, or an error of the cryptographic library.
    func answersContent() throws -> AnswersContent? {
        guard stranger == nil, let asked else { return nil }
        let inquiry = try CustomerAnswersQuery(of: asked, app: forms.app, in: served)
        var picture = location.showing(.answers)
        picture.person = asked.rawValue
        return AnswersContent(
            asked, inquiry.resolution, at: inquiry.at, refusals: inquiry.refusals,
            balances: inquiry.resolution.balances.map { balance in
                let totals = balance.totals(at: inquiry.at)
                return AnswersContent.BalanceRow(
                    id: balance.id.rawValue, units: String(totals.balance), bought: String(totals.credited),
                    takenBack: String(totals.clawedBack))
            }, balancesNote: "As bought; spends are stored in a vault and unknown to the App Store.",
            explanation: location.why.map { inquiry.explanation(of: Product.ID($0)) },
            links: AnswersContent.Links(
                why: { product in location.with { $0.why = product.rawValue }.address + "#why" },
                transaction: { id in
                    location.showing(.transactions).with { $0.selected = id.rawValue }.address
                }, close: location.with { $0.why = nil }.address,
                picture: "/page/timeline.svg?\(picture.query)&version=\(Self.version(of: served))"))
    }
}
