public import Storekeeper

extension ScenarioRunner {
    /// What the people had and have, as the engines see it: a bar for each product that anybody ever had.
    public var chart: TimelineChart {
        var rows: [TimelineChart.Row] = []
        let isOneEngine = engineKeys.count == 1
        for key in engineKeys {
            guard let resolution = snapshot(of: key)?.resolution else { continue }
            for product in resolution.products {
                var row = TimelineChart.Row(product)
                guard row.segments.contains(where: { $0.look != .nothing }) else { continue }
                if !isOneEngine { row.label = "\(key.person) \(row.label)" }
                rows.append(row)
            }
        }
        return TimelineChart(rows, from: scenario.start, marking: store.now)
    }

    /// The customers of the engines, in the order in which they came, as they are called in the vault.
    public var customers: [CustomerID] {
        engineKeys.compactMap { snapshot(of: $0)?.customer }
    }

    /// All that was signed, as compact JWS.
    ///
    /// - Throws: What the cryptographic library throws.
    public func evidence() throws -> [String] {
        var texts: [String] = []
        for app in scenario.apps {
            for person in store.accounts { texts += try store.evidence(of: person, app: app.bundleID) }
        }
        return texts
    }
}
