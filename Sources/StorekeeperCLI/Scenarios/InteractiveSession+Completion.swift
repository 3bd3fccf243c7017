import Storekeeper
import StorekeeperSimulator

/// Completion with the tab key.
extension InteractiveSession {
    /// The completion of commands, the keywords of commands, and the names of products, people and purchases that exist
    /// now.
    var completion: LineCompletion {
        let catalogs = runner.scenario.apps.map(\.catalog)
        let products = catalogs.flatMap { $0.products.map(\.id.rawValue) }
        let people = runner.store.accounts.map(\.rawValue)
        let purchases = (scenario.steps + steps).compactMap(\.name)
        let things = Set(products + people + purchases)
        let names = ScenarioWord.all.map(\.name) + Self.ownWords
        let states = TransactionSummary.State.allCases.map(\.rawValue)
        let commands = ScenarioWord.all.map { word in
            LineCompletion.Command(name: word.name, followers: things.union(word.keys + ScenarioWord.commonKeys))
        }
        let features = catalogs.flatMap { $0.features.map(\.id.rawValue) }
        let answers = Set(features + ScenarioExpectation.words + ["because", "until"])
        return LineCompletion(
            commands: commands + [
                .init(name: "expect", followers: answers), .init(name: "expect receipt", followers: answers),
                .init(name: "list", followers: things.union(Self.listKeys + states)),
                .init(name: "inspect", followers: things), .init(name: "help", followers: Set(names)),
            ] + ["story", "chart", "undo", "save", "quit", "exit"].map { .init(name: $0, followers: []) })
    }
}
