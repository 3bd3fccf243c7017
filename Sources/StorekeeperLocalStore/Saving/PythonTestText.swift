import Storekeeper
import StorekeeperSimulator

/// A Python test that replays a story.
struct PythonTestText: Sendable {
    let name: StoryName
    /// The text of the scenario, which includes its catalogs.
    let story: String
    let checks: ServedChecks

    /// The source text of the test.
    var text: String {
        """
        #!/usr/bin/env python3
        #
        # \(name.title)
        #
        # A story that was saved from a local App Store. Run it with 'python3 FILE' or with pytest. It needs no package, only
        # the program 'storekeeper' on the PATH: a local App Store plays the story, and is asked over HTTP.
        import base64
        import json
        import pathlib
        import subprocess
        import tempfile
        import time
        import unittest
        import urllib.request

        # The scenario, with its catalogs.
        STORY = \(SourceText.pythonLines(story))


        class \(name.camel)Test(unittest.TestCase):
            maxDiff = None

            @classmethod
            def setUpClass(cls):
                folder = tempfile.TemporaryDirectory()
                cls.addClassCleanup(folder.cleanup)
                story = pathlib.Path(folder.name, "story.yaml")
                story.write_text(STORY, encoding="utf-8")
                cls.server = subprocess.Popen(
                    ["storekeeper", "local-app-store", str(story), "--port", "0", "--format", "json"],
                    stdout=subprocess.PIPE, encoding="utf-8")
                cls.addClassCleanup(cls.stop)
                announcement = cls.server.stdout.readline()
                if not announcement:
                    raise RuntimeError("storekeeper has ended")
                # The base address of the App Store Server API: give it to the server that you test.
                cls.url = json.loads(announcement)["url"]

            @classmethod
            def stop(cls):
                cls.server.terminate()
                cls.server.stdout.close()
                cls.server.wait()

            def get(self, path, bundle_id=None):
                \"\"\"Returns a document; the App Store Server API wants a token with the app's bundle id.\"\"\"
                request = urllib.request.Request(self.url + path)
                if bundle_id is not None:
                    request.add_header("Authorization", "Bearer " + token(bundle_id))
                opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
                with opener.open(request, timeout=60) as response:
                    return json.load(response)

            def transaction(self, transaction_id, bundle_id):
                \"\"\"Returns the payload of a transaction.\"\"\"
                document = self.get("/inApps/v1/transactions/" + transaction_id, bundle_id)
                return payload(document["signedTransactionInfo"])

            def renewal(self, original_id, bundle_id):
                \"\"\"Returns the payload of the renewal info of a subscription.\"\"\"
                document = self.get("/inApps/v1/subscriptions/" + original_id, bundle_id)
                for group in document["data"]:
                    for item in group["lastTransactions"]:
                        if item["originalTransactionId"] == original_id:
                            return payload(item["signedRenewalInfo"])
                self.fail("there is no subscription " + original_id)

            def check_answers(self, path, expected):
                found = self.get(path)["expectations"]
                for answer in expected:
                    with self.subTest(answer):
                        self.assertIn(answer, found)

            def check_members(self, found, expected):
                for name, value in expected.items():
                    with self.subTest(name):
                        member = found
                        for part in name.split("."):
                            member = member.get(part) if isinstance(member, dict) else None
                        if value is ...:
                            self.assertIsNotNone(member)
                        else:
                            self.assertEqual(member, value)
        \(functions)

        def token(bundle_id):
            \"\"\"Returns a token; this App Store accepts any signature.\"\"\"
            now = int(time.time())
            header = {"alg": "ES256", "kid": "test", "typ": "JWT"}
            claims = {"iss": "test", "iat": now, "exp": now + 300, "aud": "appstoreconnect-v1", "bid": bundle_id}
            parts = [json.dumps(header).encode(), json.dumps(claims).encode(), bytes(64)]
            return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


        def payload(jws):
            \"\"\"Returns the payload of a signed text, whose signature is not checked here.\"\"\"
            text = jws.split(".")[1]
            return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


        if __name__ == "__main__":
            unittest.main()

        """
    }

    private var functions: String {
        let names = StoryName.unique(checks.answers.map(\.person.rawValue)) { $0.snake }
        let answers = zip(checks.answers, names).map { answers, name in
            """

                def test_answers_about_\(name)(self):
                    self.check_answers(\(SourceText.python(answers.path)), [
            \(answers.texts.map { "            \(SourceText.python($0)),\n" }.joined())        ])

            """
        }
        // The names of the functions are ASCII, because Python changes other letters in names.
        let tests = StoryName.unique(checks.signed.map { "\($0.document.rawValue) \($0.id.rawValue)" }) { $0.snake }
        let signed = zip(checks.signed, tests).map { signed, name in
            let id = signed.document == .renewal ? signed.originalID : signed.id
            let call =
                "self.\(signed.document.rawValue)(\(SourceText.python(id.rawValue)), "
                + "\(SourceText.python(signed.bundleID)))"
            let members = signed.members.map { member in
                "            \(SourceText.python(member.name)): \(Self.value(member.value)),\n"
            }
            return """

                    def test_\(name)(self):
                        self.check_members(\(call), {
                \(members.joined())        })

                """
        }
        return (answers + signed).joined()
    }

    private static func value(_ value: ScenarioExpectation.Signed.Value) -> String {
        switch value {
        case .absent: "None"
        case .present: "..."
        case .flag(let flag): flag ? "True" : "False"
        case .text(let text): SourceText.python(text)
        case .whole(let number): "\(number)"
        case .time(let instant): "\(instant.millisecondsSince1970)"
        case .list(let items): "[\(items.map(SourceText.python).joined(separator: ", "))]"
        }
    }
}
