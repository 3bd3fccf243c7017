#!/usr/bin/env python3
"""Lets Apple's library verify and decode evidence signed by a local App Store.

usage: verify-with-apple-library.py FILE

FILE is JSON: `root` is the root certificate (DER in base64), `bundleId`, `appAppleId`, and `items`, each with a
`name`, the `kind` (transaction, renewalInfo, appTransaction, notification), the `environment`, the `jws` and, if the
library must refuse it, `refusedAs`, the name of its VerificationStatus.

The library checks the certificate chain and Apple's marker extensions, the signature, the bundle id, the app's number in
production, and the environment. In addition its decoder must return every member of the payload with its value, and the
signed parts inside a notification must verify, too. Prints the number of items of each kind; exits with 1 and a line for
each finding if a check fails.
"""

import base64
import collections
import enum
import json
import sys

import attr
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

# Members that App Store servers write and the library does not know.
UNNAMED = {"requestDate"}

PARTS = {
    "signedTransactionInfo": "transaction",
    "signedRenewalInfo": "renewalInfo",
    "signedAppTransactionInfo": "appTransaction",
}


def decode(verifier, kind, jws):
    """Returns the library's result for a signed text."""
    return {
        "transaction": verifier.verify_and_decode_signed_transaction,
        "renewalInfo": verifier.verify_and_decode_renewal_info,
        "appTransaction": verifier.verify_and_decode_app_transaction,
        "notification": verifier.verify_and_decode_notification,
    }[kind](jws)


def payload_of(jws):
    text = jws.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def differences(payload, decoded, path=""):
    """Returns the members that the decoder changed."""
    for name, value in payload.items():
        if name in UNNAMED:
            continue
        found = getattr(decoded, name, None)
        if found is None:
            raw = name[0].upper() + name[1:]
            found = getattr(decoded, f"raw{raw}", None)
        if isinstance(found, enum.Enum):
            found = found.value
        if isinstance(value, dict) and attr.has(type(found)):
            yield from differences(value, found, f"{path}{name}.")
        elif isinstance(value, list) and isinstance(found, list) and value and isinstance(value[0], dict):
            if len(value) != len(found):
                yield f"{path}{name} has {len(value)} elements, the library has {len(found)}"
            for element, other in zip(value, found):
                yield from differences(element, other, f"{path}{name}[].")
        elif found != value:
            yield f"{path}{name} is {value!r}, the library has {found!r}"


def main(path):
    with open(path, encoding="utf-8") as file:
        story = json.load(file)
    root = base64.b64decode(story["root"])
    verifiers = {
        name: SignedDataVerifier([root], False, Environment(name), story["bundleId"], story["appAppleId"])
        for name in ("Production", "Sandbox")
    }
    counts = collections.Counter()
    findings = []

    def look(name, verifier, kind, jws):
        decoded = decode(verifier, kind, jws)
        payload = payload_of(jws)
        findings.extend(f"{name}: {difference}" for difference in differences(payload, decoded))
        counts[kind] += 1
        if "summary" in payload:
            counts["summary"] += 1
        for member, inner in PARTS.items():
            text = payload.get("data", {}).get(member)
            if text is not None:
                look(f"{name}, {member}", verifier, inner, text)
                counts["inside of notifications"] += 1

    for item in story["items"]:
        expected = item.get("refusedAs")
        try:
            look(item["name"], verifiers[item["environment"]], item["kind"], item["jws"])
            if expected is not None:
                findings.append(f"{item['name']}: believed, and should be refused as {expected}")
        except VerificationException as error:
            if error.status.name == expected:
                counts["refused as they must be"] += 1
            else:
                findings.append(f"{item['name']}: refused as {error.status.name}, expected {expected or 'belief'}")
    print(", ".join(f"{kind}: {count}" for kind, count in sorted(counts.items())))
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings or not counts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
