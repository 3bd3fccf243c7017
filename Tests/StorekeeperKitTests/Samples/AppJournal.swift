/// The lines that an app writes about what happened.
actor AppJournal {
    private(set) var lines: [String] = []

    func write(_ line: String) { lines.append(line) }
}
