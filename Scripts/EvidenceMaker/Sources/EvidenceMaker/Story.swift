import Foundation
import Storekeeper

/// A customer's story: the signed records, and how they are delivered.
struct Story {
    /// The name, which is also the name of its files.
    let name: String
    /// The file of the description, as named in messages.
    let file: String
    /// The signed records, in the order of the description.
    let records: [Record]
    /// The lines of the evidence file, as described.
    let evidence: [DescriptionNode]
    /// The default signing time.
    let signedAt: Instant

    /// Reads a description.
    ///
    /// - Parameters:
    ///   - file: The YAML file; the story is named after it.
    ///   - app: The app of the story.
    /// - Throws: ``DescriptionError``, or an error of reading a file.
    init(describedBy file: URL, app: App) throws {
        let root = try DescriptionNode(reading: file)
        let members = try root.members(among: [
            "story", "signed", "sameFactsAs", "customer", "transactions", "renewalInfos", "appTransactions", "evidence",
        ])
        guard let text = members["story"], try !text.text().isEmpty else { throw root.error("story is missing") }
        guard let evidence = members["evidence"] else { throw root.error("evidence is missing; an empty file is []") }
        guard let signed = members["signed"] else {
            throw root.error("signed is missing: the time at which the App Store signed the evidence")
        }
        name = file.deletingPathExtension().lastPathComponent
        self.file = file.relativePath
        self.evidence = try evidence.elements()
        signedAt = try signed.instant()

        let maker = RecordBuilder(
            app: app, signedAt: signedAt,
            customer: try members["customer"]?.members(among: Set(Member.ofCustomers.keys)) ?? [:])
        var records: [Record] = []
        if let other = members["sameFactsAs"] {
            let path = file.deletingLastPathComponent().appending(path: try other.text() + ".yaml")
            guard FileManager.default.fileExists(atPath: path.path) else {
                throw other.error("there is no description \(path.lastPathComponent)")
            }
            records = try Story(describedBy: path, app: app).records
        }
        func add(_ member: String, _ make: (String, DescriptionNode, [Record]) throws -> Record) throws {
            for (name, node) in try members[member]?.members() ?? [] {
                guard !records.contains(where: { $0.name == name }) else {
                    throw node.error("another record is named \(name)")
                }
                records.append(try make(name, node, records))
            }
        }
        try add("transactions") { try maker.transaction($0, $1, among: $2) }
        try add("renewalInfos") { try maker.renewalInfo($0, $1, among: $2) }
        try add("appTransactions") { name, node, _ in try maker.appTransaction(name, node) }
        self.records = records
    }
}
