import Foundation
import Storekeeper
import StorekeeperJWS

/// Makes the signed evidence of `Configuration/evidence` from the descriptions of its stories.
///
/// Every run creates a new authority, whose keys exist only in memory: `root.pem` and all evidence files change
/// together. The answers do not change.
@main
struct EvidenceMaker {
    /// The folder with `app.yaml` and `stories`, into which the evidence is written.
    let folder: URL

    static func main() {
        guard CommandLine.arguments.count == 2, let folder = CommandLine.arguments.last else {
            fail("usage: EvidenceMaker FOLDER", status: 64)
        }
        do {
            try EvidenceMaker(folder: URL(filePath: folder)).run()
        } catch let error as DescriptionError {
            fail("\(error)", status: 65)
        } catch {
            fail("\(error)", status: 66)
        }
    }

    /// Makes all evidence; nothing is written unless every description is valid.
    private func run() throws {
        let app = try App(describedBy: folder.appending(path: "app.yaml"))
        let authority = try LocalAuthority(name: "Lantern Vale Example Root")
        let verifier = JWSVerifier(.init(roots: [authority.root], bundleID: app.bundleID, appAppleID: app.appAppleID))
        var files = [("root.pem", authority.rootPEM)]
        for file in try descriptions() {
            let story = try Story(describedBy: file, app: app)
            let packer = try EvidencePacker(story, app: app, signer: authority.makeSigner(), verifier: verifier)
            files.append((story.name + ".jsonl", try packer.lines().map { $0 + "\n" }.joined()))
        }
        for (name, text) in files {
            try Data(text.utf8).write(to: folder.appending(path: name), options: .atomic)
            print("\(name): \(text.utf8.count) bytes")
        }
    }

    private func descriptions() throws -> [URL] {
        let stories = folder.appending(path: "stories")
        let files = try FileManager.default.contentsOfDirectory(atPath: stories.path)
            .filter { $0.hasSuffix(".yaml") }.sorted()
            .map { stories.appending(path: $0) }
        guard !files.isEmpty else {
            throw DescriptionError("there is no story; describe one in a .yaml file", file: stories.relativePath)
        }
        return files
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("make-evidence: error: \(message)\n".utf8))
        exit(status)
    }
}
