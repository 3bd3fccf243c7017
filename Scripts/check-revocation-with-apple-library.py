#!/usr/bin/env python3
"""Lets Apple's verifier, with its online checks, ask a local App Store whether certificates were revoked.

usage: check-revocation-with-apple-library.py STOREKEEPER CATALOG

STOREKEEPER is the command, CATALOG a .storekit file with the products of Configuration/Store.storekit. Starts
`storekeeper local-app-store --ocsp` on a free port of this machine and stops it at the end. Apple's library names
certificates with SHA-256; the same questions are asked with SHA-1. Prints how many answers were looked at; exits with 1
and a line for each finding where an answer is not as it must be.
"""

import base64
import json
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

import requests
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.x509 import ocsp

BUNDLE = "com.example.game"

# The responder's status, and the expected error of Apple's verifier; None: it accepts the item.
CASES = [
    ({"leaf": "good", "intermediate": "good"}, None),
    ({"leaf": "revoked"}, "VERIFICATION_FAILURE"),
    ({"leaf": "good"}, None),
    ({"intermediate": "revoked"}, "VERIFICATION_FAILURE"),
    ({"intermediate": "good", "leaf": "unknown"}, "VERIFICATION_FAILURE"),
    ({"leaf": "good", "intermediate": "unknown"}, "VERIFICATION_FAILURE"),
    ({"intermediate": "garbage"}, "VERIFICATION_FAILURE"),
    ({"intermediate": "good", "leaf": "slow"}, "RETRYABLE_VERIFICATION_FAILURE"),
    ({"leaf": "good"}, None),
]

findings = []
looked = 0


def equal(found, wanted, what):
    global looked
    looked += 1
    if found != wanted:
        findings.append(f"{what}: found {found!r}, wanted {wanted!r}")


def impatient():
    """Reduces the timeout of Apple's verifier from 30 seconds to one."""
    post = requests.post
    requests.post = lambda *arguments, **parts: post(*arguments, **{**parts, "timeout": 1})


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def call(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def verdict(root, jws):
    """Returns the result of a new verifier for a transaction."""
    verifier = SignedDataVerifier([root], True, Environment.SANDBOX, BUNDLE)
    try:
        verifier.verify_and_decode_signed_transaction(jws)
        return None
    except VerificationException as error:
        return error.status.name


def ask(url, certificate, issuer, algorithm, by_get=False):
    """Returns the responder's answer, with the digest that identifies the certificate in it."""
    question = ocsp.OCSPRequestBuilder().add_certificate(certificate, issuer, algorithm).build()
    der = question.public_bytes(serialization.Encoding.DER)
    if by_get:
        answer = requests.get(f"{url}/{urllib.parse.quote(base64.b64encode(der), safe='')}", timeout=30)
    else:
        answer = requests.post(url, data=der, headers={"Content-Type": "application/ocsp-request"}, timeout=30)
    return ocsp.load_der_ocsp_response(answer.content)


def questions(url, chain):
    for place, certificate, issuer in [("leaf", chain[0], chain[1]), ("intermediate", chain[1], chain[2])]:
        for algorithm in [hashes.SHA1(), hashes.SHA256()]:
            for by_get in [False, True]:
                what = f"{place} by {algorithm.name}{', GET' if by_get else ''}"
                answer = ask(url + "/ocsp", certificate, issuer, algorithm, by_get)
                equal(answer.response_status.name, "SUCCESSFUL", what)
                equal(answer.certificate_status.name, "GOOD", what)
                equal(answer.hash_algorithm.name, algorithm.name, what)
                equal(answer.serial_number, certificate.serial_number, what)
                issuer.public_key().verify(
                    answer.signature, answer.tbs_response_bytes, ECDSA(answer.signature_hash_algorithm))
        answer = ask(url + "/ocsp", certificate, issuer, hashes.SHA512())
        equal(answer.response_status.name, "MALFORMED_REQUEST", f"{place} by a digest that is not known")


def main(command, catalog):
    impatient()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        process = subprocess.Popen(
            [command, "local-app-store", catalog, "--port", str(free_port()), "--ocsp", "--format", "json",
             "--root-out", folder / "root.pem"], stdout=subprocess.PIPE, text=True)
        try:
            url = json.loads(process.stdout.readline())["url"]
            root = ssl.PEM_cert_to_DER_cert((folder / "root.pem").read_text())
            call(url + "/local/v1/steps", {"step": "buy coins.100 by customer"})
            jws = call(url + "/local/v1/people/customer/evidence")["evidence"][0]
            header = jws.split(".")[0]
            chain = json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4)))["x5c"]
            questions(url, [x509.load_der_x509_certificate(base64.b64decode(text)) for text in chain])
            for said, wanted in CASES:
                call(url + "/local/v1/certificates", said)
                equal(verdict(root, jws), wanted, f"the responder says {said}")
            call(url + "/local/v1/certificates", {"leaf": "slow"})
            equal(verdict(root, jws), "RETRYABLE_VERIFICATION_FAILURE", "slow again")
        finally:
            # A delayed answer does not prevent the store from ending.
            process.terminate()
            status = process.wait(30)
        equal(status, 0, "the exit status after SIGTERM")
        equal(verdict(root, jws), "RETRYABLE_VERIFICATION_FAILURE", "no responder")
    for finding in findings:
        print(finding)
    print(f"{looked} looks, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
