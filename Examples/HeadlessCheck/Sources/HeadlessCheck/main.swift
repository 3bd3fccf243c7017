import FoundationEssentials
import StorekeeperEngine

// HeadlessCheck EVIDENCE ROOT STOREKIT-FILE INSTANT: prints whether the customer of the evidence may play.
let arguments = CommandLine.arguments
if arguments.count == 5, let instant = Instant(arguments[4]) {
    let files = try arguments[1...3].map { [UInt8](try Data(contentsOf: URL(filePath: $0))) }
    print(try mayPlay(files[0], root: files[1], storeKitFile: files[2], at: instant) ? "yes" : "no")
} else {
    print("usage: HeadlessCheck EVIDENCE ROOT STOREKIT-FILE INSTANT")
}
