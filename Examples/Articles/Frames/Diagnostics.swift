import StorekeeperEngine

private func list(_ history: PurchaseHistory, _ resolver: EntitlementResolver, at instant: Instant, now: Instant) {
    // block 1
}
