import Foundation
import StorekeeperTesting
import Testing

@Suite(.system) struct VerifyCommandTests {
    private let folder: Folder
    private let evidence: Evidence

    init() throws {
        folder = try Folder()
        evidence = try Evidence()
        try folder.write(evidence.rootPEM, to: "root.pem")
    }

    private func verify(_ arguments: [String], input: String = "") throws -> Program.Result {
        try Program.run(["verify", "--root", "root.pem"] + arguments, in: folder, input: Array(input.utf8))
    }

    @Test("Each item gives a line, in order, from any container")
    func mixedFile() throws {
        let good = try evidence.transaction()
        let text =
            try """
        \(good)

        {"signedRenewalInfo":"\(evidence.renewalInfo())","signedTransactionInfo":"\(good)"}
        garbage
        \(Evidence.transactionPayload())
        {"errorCode":4040010,"errorMessage":"Transaction id not found."}
        \(evidence.tampered())
        \(evidence.transaction(environment: "Sandbox"))
        """
        try folder.write(text, to: "evidence.jws")
        let result = try verify(["evidence.jws"])
        let payload = Evidence.transactionPayload()
        let expected = [
            #"{"index":0,"kind":"transaction","payload":\#(payload),"verified":true}"#,
            #"{"index":1,"kind":"transaction","payload":\#(payload),"verified":true}"#,
            #"{"index":2,"kind":"renewalInfo","payload":\#(Evidence.renewalPayload),"verified":true}"#,
            #"{"error":{"code":"malformed","message":"the text is not three segments joined by dots (a compact JWS)"},"#
                + #""index":3,"verified":false}"#,
            #"{"error":{"code":"unsignedEvidence","message":"a decoded payload has no signature: give the JWS"},"#
                + #""index":4,"verified":false}"#,
            #"{"error":{"code":"malformed","message":"an error of the App Store Server API, not evidence: "#
                + #"errorCode 4040010, Transaction id not found."},"index":5,"verified":false}"#,
        ]
        #expect(Array(result.outputLines.prefix(6)) == expected)
        #expect(result.outputLines.count == 8)
        #expect(result.outputLines[6].hasPrefix(#"{"error":{"code":"invalidSignature","message":""#))
        #expect(result.outputLines[6].hasSuffix(#","index":6,"verified":false}"#))
        #expect(result.outputLines[7].hasPrefix(#"{"error":{"code":"environmentRefused","message":""#))
        #expect(result.errors == "")
        #expect(result.status == 1)
    }

    @Test("If all items are verified the status is 0, and standard input is read like a file")
    func standardInput() throws {
        try folder.write(evidence.renewalInfo(), to: "renewal.jws")
        let result = try verify(["renewal.jws", "-"], input: evidence.transaction() + "\n")
        #expect(result.outputLines.map { $0.contains(#""verified":true"#) } == [true, true])
        #expect(result.outputLines[0].hasPrefix(#"{"index":0,"kind":"renewalInfo""#))
        #expect(result.status == 0)
    }

    @Test("Empty evidence verifies")
    func empty() throws {
        let result = try verify(["-"])
        #expect(result.output == "")
        #expect(result.status == 0)
    }

    @Test("The parts of a notification are under `contains`, and a failed part gives 1 although the whole is verified")
    func notification() throws {
        let good = try evidence.notification(transaction: evidence.transaction(), renewalInfo: evidence.renewalInfo())
        let whole = try verify(["-"], input: #"{"signedPayload":"\#(good)"}"#)
        #expect(
            whole.output.hasPrefix(
                #"{"contains":[{"kind":"transaction","payload":\#(Evidence.transactionPayload()),"verified":true},"#
                    + #"{"kind":"renewalInfo","payload":\#(Evidence.renewalPayload),"verified":true}],"index":0,"#
                    + #""kind":"notification","payload":{"data":{"#))
        #expect(whole.output.hasSuffix(#","verified":true}"# + "\n"))
        #expect(whole.status == 0)

        let bad = try evidence.notification(transaction: evidence.tampered(), renewalInfo: evidence.renewalInfo())
        let broken = try verify(["-"], input: bad)
        #expect(broken.output.hasPrefix(#"{"contains":[{"error":{"code":"invalidSignature""#))
        #expect(broken.output.hasSuffix(#","verified":true}"# + "\n"))
        #expect(broken.status == 1)
    }

    @Test("The app and the environments are compared with the configuration")
    func addressee() throws {
        let input = try evidence.transaction(environment: "Sandbox")
        func code(_ arguments: String...) throws -> (Int32, Bool) {
            let result = try verify(arguments + ["-"], input: input)
            return (result.status, result.output.contains("environmentRefused"))
        }
        #expect(try code() == (1, true))
        #expect(try code("--environment", "Sandbox") == (0, false))
        #expect(try code("--environment", "Production", "--environment", "Sandbox") == (0, false))
        let other = try verify(["--environment", "Sandbox", "--bundle-id", "com.example.other", "-"], input: input)
        #expect(other.output.contains(#""code":"bundleMismatch""#))
        #expect(other.output.contains("the app 'com.example.game', not 'com.example.other'"), "\(other.output)")
    }

    @Test("The summary is one object with the counts and the speed")
    func summary() throws {
        let lines = try [evidence.transaction(), "x", evidence.renewalInfo()].joined(separator: "\n")
        let result = try verify(["--summary", "-"], input: lines)
        #expect(result.status == 1)
        #expect(
            try #/\{"failed":1,"items":3,"perSecond":\d+,"seconds":\d+\.\d{3,6},"verified":2\}\n/#
                .wholeMatch(in: result.output) != nil, "\(result.output)")
    }

    @Test("More items than a batch keep their order")
    func manyItems() throws {
        let good = try evidence.transaction()
        let text = (0..<9001).map { $0 % 3 == 1 ? "x\($0)" : good }.joined(separator: "\n")
        let result = try verify(["-"], input: text)
        #expect(result.outputLines.count == 9001)
        for (index, line) in result.outputLines.enumerated() {
            #expect(line.contains(#""index":\#(index),"#))
            #expect(line.hasSuffix(index % 3 == 1 ? #""verified":false}"# : #""verified":true}"#))
        }
    }

    @Test("With --unsigned and no root nothing is verified, which gives 1 and is not wrong usage")
    func withoutRoot() throws {
        let input = try evidence.transaction() + "\n" + Evidence.transactionPayload()
        let result = try Program.run(["verify", "--unsigned", "-"], in: folder, input: Array(input.utf8))
        #expect(result.outputLines.map { $0.contains("untrustedChain") } == [true, false])
        #expect(result.outputLines.map { $0.contains("unsignedEvidence") } == [false, true])
        #expect(result.status == 1)
    }
}
