#!/usr/bin/env bash
# Installs the schemas with which check-deployment.sh validates, from PyPI, in .build/deployment-tools, unless they are
# there. Exits with 3 if this is not possible.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The schemas of GitHub's workflows and of compose files; those of Kubernetes; and that of CycloneDX.
readonly wanted="check-jsonschema==0.39.0 kubernetes-validate==1.37.0 cyclonedx-python-lib[json-validation]==11.12.0"
readonly home=.build/deployment-tools

missing() {
    echo "deployment-tools: $1; the files for deployment are not validated" >&2
    exit 3
}

if [[ "$(cat "$home/version" 2>/dev/null || true)" == "$wanted" ]]; then exit 0; fi
rm -rf "$home"
mkdir -p .build
python3 -m venv "$home" >/dev/null || missing "python3 cannot make a virtual environment (Debian: python3-venv)"
# shellcheck disable=SC2086
"$home/bin/pip" install --quiet --disable-pip-version-check --retries 2 $wanted >&2 ||
    missing "no package index is within reach"
echo "$wanted" >"$home/version"
