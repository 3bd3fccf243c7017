public import Storekeeper
public import StorekeeperCharts

extension ScenarioRunner {
    /// The people's access over time according to the engines, with a bar for each product that a person ever had.
    public var chart: TimelineChart {
        var rows: [TimelineChart.Row] = []
        let snapshots = snapshots
        for (key, snapshot) in snapshots {
            for product in snapshot.resolution.products {
                var row = TimelineChart.Row(product)
                guard row.segments.contains(where: { $0.segmentStyle != .nothing }) else { continue }
                if snapshots.count != 1 { row.label = "\(key.person) \(row.label)" }
                rows.append(row)
            }
        }
        // By default, the axis extends a day beyond the last change, which makes a scenario of a few minutes too narrow
        // to see. Therefore the margin is a twentieth of the scenario's duration.
        let changes = rows.flatMap(\.segments).flatMap { [$0.from, $0.to] }.compactMap { $0 } + [store.now]
        let last = changes.max() ?? store.now
        let margin = max(last.milliseconds(since: scenario.start) / 20, 1000)
        return TimelineChart(rows, from: scenario.start, to: last.adding(milliseconds: margin), marking: store.now)
    }

    /// The ids of the engines' customers in the vault, in order of creation.
    public var customers: [CustomerID] { snapshots.map(\.snapshot.customer) }

    /// Returns the evidence of the customers, as compact JWS.
    ///
    /// - Parameter copies: Selects the newest signed copy of each document, or all copies.
    /// - Throws: Errors of the cryptographic library.
    public func evidence(_ copies: SignedCopies = .all) throws -> [String] { try store.evidence(copies) }

    /// Returns the notifications that the App Store Server has sent, in order, as compact JWS.
    ///
    /// - Throws: Errors of the cryptographic library.
    public func notifications() throws -> [String] { try store.notifications() }
}
