import Storekeeper

/// All answers about a customer at an instant, as `entitlements` prints them.
struct EntitlementsReport {
    let inquiry: AnswersQuery
    /// The answers to list, such as `entitled`; `nil` lists products with any answer.
    let only: Set<String>?

    private var resolution: Resolution { inquiry.resolution }
    private var at: Instant { inquiry.at }

    /// The products to list.
    var products: [ProductTimeline] {
        resolution.products.filter { only?.contains($0.timeline.value(at: at).word) ?? true }
    }

    /// The JSON document.
    var json: JSONText {
        CustomerAnswers(
            resolution, at: at, isVerified: inquiry.isVerified, nextChange: inquiry.nextChange,
            balances: inquiry.balances.map(\.totals), diagnostics: inquiry.diagnostics,
            where: { only?.contains($0.word) ?? true },
            product: { CustomerAnswers.Answer($0, at: at) }, feature: { CustomerAnswers.Answer($0, at: at) }
        ).json
    }
}
