import Storekeeper
import StorekeeperCharts
import StorekeeperPages
import StorekeeperSimulator

extension PageBuilder {
    /// The customer whose answers are shown, which is the selected customer or else the first customer.
    private var asked: CustomerID? { location.person.map { CustomerID(rawValue: $0) } ?? accounts.first?.name }

    /// Returns the contents above the table of transactions: the products of the selected customer, and the timeline.
    ///
    /// - Throws: ``SimulatorError`` if the app does not exist, or an error of the cryptographic library.
    func customerContents() throws -> (present: PresentContent?, timeline: TimelineContent?) {
        guard stranger == nil, location.person != nil, let asked else { return (nil, nil) }
        let inquiry = try inquiry(of: asked)
        return (
            // If an instant is selected, the timeline lists the answers at that instant, so the present answers are
            // left out.
            location.at == nil ? PresentContent(of: asked, inquiry.resolution, at: inquiry.at, self) : nil,
            timeline(of: asked, inquiry, try today(of: asked, inquiry), listsAnswers: true)
        )
    }

    /// Returns the engine's answers about a customer.
    ///
    /// - Throws: ``SimulatorError`` if the app does not exist, or an error of the cryptographic library.
    func answersContent() throws -> AnswersContent? {
        guard stranger == nil, let asked else { return nil }
        let inquiry = try inquiry(of: asked)
        return AnswersContent(
            asked, inquiry.resolution, at: inquiry.at, refusals: inquiry.refusals,
            balances: Self.balances(in: inquiry.resolution, at: inquiry.at).map { id, totals in
                AnswersContent.BalanceRow(
                    id: id.rawValue, units: String(totals.balance), bought: String(totals.credited),
                    takenBack: String(totals.clawedBack))
            }, balancesNote: "Purchased units; spends are recorded in a vault and unknown to the App Store.",
            explanation: location.why.map { inquiry.explanation(of: Product.ID($0)) },
            timeline: timeline(of: asked, inquiry, try today(of: asked, inquiry), listsAnswers: false),
            links: AnswersContent.Links(
                why: { product in location.with { $0.why = product.rawValue }.address + "#why" },
                transaction: { id in
                    location.showing(.transactions).with { $0.selected = id.rawValue }.address
                }, close: location.with { $0.why = nil }.address))
    }

    /// Returns the balances that have entries; the others are left out, because a catalog may have many consumables.
    static func balances(
        in resolution: Resolution, at instant: Instant
    ) -> [(id: BalanceTimeline.ID, totals: BalanceTimeline.Totals)] {
        resolution.balances.map { (id: $0.id, totals: $0.totals(at: instant)) }.filter { $0.totals.credited != 0 }
    }

    /// Returns the answers at the selected instant, from the evidence that was signed at or before this instant.
    private func inquiry(of customer: CustomerID) throws -> CustomerAnswersQuery {
        try CustomerAnswersQuery(
            of: customer, app: forms.app, at: location.at.flatMap(PageTime.instant), in: served)
    }

    /// Returns the answers from all evidence; if no instant is selected, returns `inquiry`, which already uses all
    /// evidence.
    private func today(of customer: CustomerID, _ inquiry: CustomerAnswersQuery) throws -> CustomerAnswersQuery {
        location.at == nil ? inquiry : try CustomerAnswersQuery(of: customer, app: forms.app, in: served)
    }

    /// Returns the timeline of a customer from all evidence.
    ///
    /// - Parameters:
    ///   - then: The answers from the evidence that was signed at or before the selected instant.
    ///   - listsAnswers: Whether the timeline lists the answers at the selected instant, because the view does not show
    ///     them elsewhere.
    private func timeline(
        of customer: CustomerID, _ then: CustomerAnswersQuery, _ today: CustomerAnswersQuery, listsAnswers: Bool
    ) -> TimelineContent? {
        let answers = location.showing(.answers).with { $0.person = customer.rawValue }
        var form = answers
        form.at = nil
        return TimelineContent(
            customer, today.chart, at: location.at, span: location.span.flatMap { TimelineSpan($0) },
            known: then.resolution,
            today: today.resolution, listsAnswers: listsAnswers,
            links: TimelineContent.Links(
                at: { text in
                    (text == nil ? location : answers).with { ($0.at, $0.why) = (text, nil) }.address
                },
                span: { text in location.with { $0.span = text }.address },
                file: pictureAddress(of: customer),
                kept: form.fields.map { TimelineContent.Field(name: $0.name, value: $0.value) }, action: "/"))
    }

    private func pictureAddress(of customer: CustomerID) -> String {
        let picture = location.showing(.answers).with { $0.person = customer.rawValue }
        return "/page/timeline.svg?\(picture.query)&version=\(Self.version(of: served))"
    }
}
