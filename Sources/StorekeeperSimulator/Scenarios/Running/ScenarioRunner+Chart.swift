public import Storekeeper
public import StorekeeperCharts

extension ScenarioRunner {
    /// What the people had and have, as the engines see it: a bar for each product that anybody ever had.
    public var chart: TimelineChart {
        var rows: [TimelineChart.Row] = []
        let snapshots = snapshots
        for (key, snapshot) in snapshots {
            for product in snapshot.resolution.products {
                var row = TimelineChart.Row(product)
                guard row.segments.contains(where: { $0.look != .nothing }) else { continue }
                if snapshots.count != 1 { row.label = "\(key.person) \(row.label)" }
                rows.append(row)
            }
        }
        // Without an edge of its own the axis would reach a day beyond the last change, in which a story of minutes
        // could not be seen.
        let changes = rows.flatMap(\.segments).flatMap { [$0.from, $0.to] }.compactMap { $0 } + [store.now]
        let last = changes.max() ?? store.now
        let margin = max(last.milliseconds(since: scenario.start) / 20, 1000)
        return TimelineChart(rows, from: scenario.start, to: last.adding(milliseconds: margin), marking: store.now)
    }

    /// The customers of the engines, in the order in which they came, as they are called in the vault.
    public var customers: [CustomerID] { snapshots.map(\.snapshot.customer) }

    /// What was signed about the customers, as compact JWS.
    ///
    /// - Parameter copies: All copies, or the newest only.
    /// - Throws: What the cryptographic library throws.
    public func evidence(_ copies: SignedCopies = .all) throws -> [String] { try store.evidence(copies) }

    /// The notifications that the App Store Server has sent, in their order, as compact JWS.
    ///
    /// - Throws: What the cryptographic library throws.
    public func notifications() throws -> [String] { try store.notifications() }
}
