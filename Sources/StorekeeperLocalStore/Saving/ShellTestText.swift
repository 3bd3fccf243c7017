import Storekeeper
import StorekeeperSimulator

/// A script for bash that replays a story with curl.
struct ShellTestText: Sendable {
    let name: StoryName
    /// The text of the scenario, which includes its catalogs.
    let story: String
    let checks: ServedChecks

    /// The source text of the script.
    var text: String {
        let end = SourceText.hereDelimiter("END_OF_STORY", after: story)
        return #"""
            #!/usr/bin/env bash
            # \#(name.title)
            #
            # A story that was saved from a local App Store. Run it with 'bash FILE'; it ends with 1 if an answer differs. It needs
            # curl, and the program 'storekeeper' on the PATH: a local App Store plays the story, and is asked over HTTP.
            set -euo pipefail

            folder=$(mktemp -d)
            server=
            finish() {
                [[ -z $server ]] || kill "$server" 2>/dev/null || true
                [[ -z $server ]] || wait "$server" 2>/dev/null || true
                rm -r "$folder"
            }
            trap finish EXIT

            # The scenario, with its catalogs.
            cat >"$folder/story.yaml" <<'\#(end)'
            \#(story)\#(end)

            : >"$folder/announcement"
            storekeeper local-app-store "$folder/story.yaml" --port 0 --format json >"$folder/announcement" &
            server=$!
            # The base address of the App Store Server API: give it to the server that you test.
            url=
            for _ in {1..600}; do
                url=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$folder/announcement")
                [[ -z $url ]] || break
                kill -0 "$server" 2>/dev/null || { echo "storekeeper has ended" >&2; exit 1; }
                sleep 0.1
            done

            base64url() { base64 | tr -d '=\n' | tr '/+' '_-'; }

            # A token for an app, by its bundle id as JSON; this App Store accepts any signature.
            token() {
                local now
                now=$(date +%s)
                printf '%s.%s.%s' "$(printf '{"alg":"ES256","kid":"test","typ":"JWT"}' | base64url)" \
                    "$(printf '{"iss":"test","iat":%s,"exp":%s,"aud":"appstoreconnect-v1","bid":%s}' \
                        "$now" "$((now + 300))" "$1" | base64url)" \
                    "$(head -c 64 /dev/zero | base64url)"
            }

            get() { curl -fsS --noproxy '*' "$url$1" "${@:2}"; }
            api() { get "$1" -H "Authorization: Bearer $(token "$2")"; }

            # The payload of a signed text, whose signature is not checked here.
            payload() {
                local text
                text=$(cut -d. -f2 | tr '_-' '/+')
                while (( ${#text} % 4 )); do text+='='; done
                base64 -d <<<"$text"
            }

            # The payload of a transaction: its id, and the app.
            transaction() {
                api "/inApps/v1/transactions/$1" "$2" | sed 's/.*"signedTransactionInfo":"\([^"]*\)".*/\1/' | payload
            }

            # The payload of the renewal info of a subscription: the id of its first transaction, and the app.
            renewal() {
                api "/inApps/v1/subscriptions/$1" "$2" | tr '{' '\n' | grep -F "\"originalTransactionId\":\"$1\"" |
                    sed 's/.*"signedRenewalInfo":"\([^"]*\)".*/\1/' | payload
            }

            failures=0
            ok() { echo "ok     $1"; }
            wrong() {
                echo "WRONG  $1; found $2"
                failures=$((failures + 1))
            }

            # Checks that a JSON text has a member or an element: what it is, the text, the member or element.
            check() { if [[ $2 == *"$3"[],}]* ]]; then ok "$1"; else wrong "$1" "$2"; fi; }
            # The same of a member with any value, and of one that must be absent.
            check_present() { if [[ $2 == *"$3:"* ]]; then ok "$1"; else wrong "$1" "$2"; fi; }
            check_absent() { if [[ $2 == *"$3:"* ]]; then wrong "$1" "$2"; else ok "$1"; fi; }

            \#(lines)
            if (( failures > 0 )); then
                echo "$failures wrong" >&2
                exit 1
            fi

            """#
    }

    private var lines: String {
        let answers = checks.answers.map { answers in
            let tests = answers.texts.map { text in
                let title = SourceText.shell(SourceText.message(text))
                return "check \(title) \"$found\" \(SourceText.shell(JSONText.string(text).text()))\n"
            }
            return "found=$(get \(SourceText.shell(answers.path)))\n" + tests.joined()
        }
        let signed = checks.signed.map { signed in
            let id = signed.document == .renewal ? signed.originalID : signed.id
            let app = SourceText.shell(JSONText.string(signed.bundleID).text())
            return "found=$(\(signed.document.rawValue) \(SourceText.shell(id.rawValue)) \(app))\n"
                + signed.members.map { Self.check($0, of: "\(signed.document.rawValue) \(signed.id)") }.joined()
        }
        return (answers + signed).map { $0 + "\n" }.joined()
    }

    private static func check(_ member: ScenarioExpectation.Signed.Member, of subject: String) -> String {
        // The script searches for a nested member by the member's own name, without the name of its parent.
        let own = member.name.split(separator: ".").last.map(String.init) ?? member.name
        let name = JSONText.string(own).text()
        let title = SourceText.shell(SourceText.message("\(subject): \(member.name) \(member.value.text)"))
        guard let value = member.value.json else {
            return
                "check_\(member.value == .absent ? "absent" : "present") \(title) \"$found\" \(SourceText.shell(name))\n"
        }
        return "check \(title) \"$found\" \(SourceText.shell("\(name):\(value.text())"))\n"
    }
}
