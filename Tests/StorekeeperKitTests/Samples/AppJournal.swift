/// The lines that an app writes about the updates that it receives.
actor AppJournal {
    private(set) var lines: [String] = []

    func write(_ line: String) { lines.append(line) }
}
