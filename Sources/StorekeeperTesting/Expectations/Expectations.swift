public import Storekeeper
public import Testing

/// Expects that a customer has access to a product.
///
/// If the customer has no access, an issue is recorded that explains the answer.
///
/// ```swift
/// await expectEntitled("pro.monthly", in: app.store)
/// ```
///
/// - Parameters:
///   - product: The product.
///   - store: The customer's store.
///   - instant: The instant of the answer; `nil` means now, by the store's clock.
///   - sourceLocation: The source location for the recorded issue.
public func expectEntitled(
    _ product: Product.ID, in store: Store, at instant: Instant? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) async {
    await expectAnswer(.entitled, about: product, in: store, at: instant, sourceLocation: sourceLocation)
}

/// Expects that a customer has no access to a product.
///
/// If the customer has access, or no catalog knows the product, an issue is recorded that explains the answer.
///
/// - Parameters:
///   - product: The product.
///   - store: The customer's store.
///   - instant: The instant of the answer; `nil` means now, by the store's clock.
///   - sourceLocation: The source location for the recorded issue.
public func expectNotEntitled(
    _ product: Product.ID, in store: Store, at instant: Instant? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) async {
    let answer = store.entitlement(for: product, at: instant)
    // A misspelled id would otherwise meet the expectation.
    guard answer.isEntitled || answer.reason == .notInCatalog else { return }
    await recordUnexpected(answer, "no access to", product, in: store, at: instant, sourceLocation)
}

/// Expects an answer about a product.
///
/// If the answer is different, an issue is recorded that explains the actual answer.
///
/// ```swift
/// await expectAnswer(.lapsed(.refunded), about: "pro.monthly", in: app.store)
/// ```
///
/// - Parameters:
///   - expected: The expected answer, with or without its reason.
///   - product: The product.
///   - store: The customer's store.
///   - instant: The instant of the answer; `nil` means now, by the store's clock.
///   - sourceLocation: The source location for the recorded issue.
public func expectAnswer(
    _ expected: ExpectedAnswer, about product: Product.ID, in store: Store, at instant: Instant? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) async {
    let answer = store.entitlement(for: product, at: instant)
    guard !expected.matches(answer) else { return }
    await recordUnexpected(answer, "\(expected) about", product, in: store, at: instant, sourceLocation)
}

/// Expects that a customer has, or does not have, a feature.
///
/// If the expectation fails, an issue is recorded that explains the answer about each product of the feature.
///
/// - Parameters:
///   - feature: The feature.
///   - expected: Whether the customer should have the feature.
///   - store: The customer's store.
///   - instant: The instant of the answer; `nil` means now, by the store's clock.
///   - sourceLocation: The source location for the recorded issue.
public func expectFeature(
    _ feature: Feature.ID, _ expected: Bool = true, in store: Store, at instant: Instant? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) async {
    let answer = store.feature(feature, at: instant)
    guard answer.isEntitled != expected || answer.reason == .notInCatalog else { return }
    let snapshot = store.snapshot
    let known = snapshot.resolution.catalog.feature(feature)
    var text = "Expected the feature \(feature)\(expected ? "" : " not") to be entitled; it is \(answer.inWords)."
    if known == nil {
        text +=
            "\n"
            + (snapshot.diagnostic(aboutUnknownFeature: feature)?.sentence ?? "No catalog has a feature with this id.")
    }
    for product in known?.productIDs ?? [] {
        text += "\n\n" + (await explanation(of: product, in: store, at: instant))
    }
    Issue.record(Comment(rawValue: text), sourceLocation: sourceLocation)
}

/// Expects the amount of a customer's balance.
///
/// If the amount is different, an issue is recorded that lists the units credited, spent, clawed back and restored.
///
/// - Parameters:
///   - amount: The expected number of units.
///   - balance: The name of the balance.
///   - store: The customer's store.
///   - sourceLocation: The source location for the recorded issue.
public func expectBalance(
    _ amount: Int64, of balance: Balance.ID, in store: Store, sourceLocation: SourceLocation = #_sourceLocation
) {
    let found = store.balance(of: balance)
    guard found.amount != amount else { return }
    let parts = [
        ("purchased or granted", found.credited), ("spent", found.spent), ("clawed back by refunds", found.clawedBack),
        ("restored", found.restored),
    ]
    let sum = parts.filter { $0.1 != 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    var text =
        "Expected \(amount) \(balance); the balance is \(found.amount): \(sum.isEmpty ? "it has no entries" : sum)."
    if let unknown = store.snapshot.diagnostic(aboutUnknownBalance: balance) { text += "\n" + unknown.sentence }
    Issue.record(Comment(rawValue: text), sourceLocation: sourceLocation)
}

private func recordUnexpected(
    _ answer: EntitlementAnswer, _ expected: String, _ product: Product.ID, in store: Store, at instant: Instant?,
    _ sourceLocation: SourceLocation
) async {
    // There is nothing to explain about a product that no catalog and no evidence knows.
    let unknown = store.snapshot.diagnostic(aboutUnknownProduct: product)?.sentence
    let reason: String
    if let unknown { reason = unknown } else { reason = await explanation(of: product, in: store, at: instant) }
    let text = """
        Expected \(expected) \(product); the answer is \(answer.inWords).

        \(reason)
        """
    Issue.record(Comment(rawValue: text), sourceLocation: sourceLocation)
}

extension Diagnostic {
    /// The message as a sentence.
    fileprivate var sentence: String {
        let isQuestion = message.hasSuffix("?")
        return message.prefix(1).uppercased() + message.dropFirst() + (isQuestion ? "" : ".")
    }
}

/// Returns the explanation of the answer about a product as text.
private func explanation(of product: Product.ID, in store: Store, at instant: Instant?) async -> String {
    do {
        let explanation = try await store.explain(product, at: instant)
        return ExplanationText(explanation, store.snapshot).text
    } catch {
        return "It cannot be explained: \(error)"
    }
}
