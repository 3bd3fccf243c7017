#!/usr/bin/env bash
# Signs the stories of Configuration/evidence again: reads stories/*.yaml, writes NAME.jsonl and root.pem.
#
# Each run creates a new authority whose private keys never leave memory, so all these files change together; the expected
# answers do not depend on keys and stay the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

swift run --quiet --package-path Scripts/EvidenceMaker --scratch-path .build \
    EvidenceMaker Configuration/evidence
