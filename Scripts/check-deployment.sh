#!/usr/bin/env bash
# Checks the files for deployments and releases: their schemas, the units, the proxies, the scripts, and that the address
# of the project is in one place only.
#
# Kubernetes' manifests are validated with the schemas of its newest release and of 1.30, strictly; the compose file and
# the workflow with the published schemas; the units with systemd-analyze, and the proxies' files with nginx and Caddy,
# where they are installed. Without a package index the schemas are skipped with a note, unless
# STOREKEEPER_SCHEMAS=required.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/project.sh

failed=0
fail() {
    echo "check-deployment: $*" >&2
    failed=1
}

# The address of the project: documents may mention it, and Go's module is named after it; everything else takes it from
# Scripts/project.sh.
while IFS=: read -r file line text; do
    case "$file" in
        Scripts/project.sh | Scripts/check-deployment.sh) ;;
        *.md | */go.mod)
            [[ "$text" == *"${repository#https://}"* ]] ||
                fail "$file:$line: the address is not the one of Scripts/project.sh"
            ;;
        *) fail "$file:$line: take the address from Scripts/project.sh" ;;
    esac
done < <(git grep -n -F -e "github.com/example" -e "${repository#https://}" -- . ':!Package.resolved' || true)

for script in Deployment/debian/{postinst,prerm,postrm}; do
    sh -n "$script" || fail "$script"
done
for script in .ci/run Scripts/*.sh Scripts/distribution/*.sh; do
    bash -n "$script" || fail "$script"
done

# The manifest of the Swift Package Index names every library that is documented.
python3 - <<'END' || failed=1
import re, sys
products = re.findall(r'\.library\(name: "(\w+)", targets', open("Package.swift", encoding="utf-8").read())
named = re.findall(r"^        - (\w+)$", open(".spi.yml", encoding="utf-8").read(), re.M)
if set(products) != set(named):
    sys.exit(f"check-deployment: .spi.yml and Package.swift differ in {sorted(set(products) ^ set(named))}")
END

# The image of the Dockerfile and the image of the release have the same settings.
python3 - <<'END' || failed=1
import re, sys
sys.dont_write_bytecode = True
sys.path.insert(0, "Scripts/distribution")
import image
text = open("Deployment/Dockerfile", encoding="utf-8").read()
given = dict(word.split("=", 1) for line in re.findall(r"^ENV (.*)$", text, re.M) for word in line.split())
wanted = {name: value for name, value in image.ENVIRONMENT.items() if name != "PATH"}
if given != wanted:
    sys.exit(f"check-deployment: the settings of Deployment/Dockerfile and Scripts/distribution/image.py differ: "
             f"{sorted(set(given.items()) ^ set(wanted.items()))}")
END

status=0
Scripts/deployment-tools.sh || status=$?
if ((status == 0)); then
    tools=.build/deployment-tools/bin
    "$tools/check-jsonschema" --quiet --builtin-schema vendor.compose-spec Deployment/compose.yaml || fail compose.yaml
    for schema in vendor.github-workflows custom.github-workflows-require-timeout; do
        "$tools/check-jsonschema" --quiet --builtin-schema "$schema" .github/workflows/*.yml || fail ".github/workflows"
    done
    for version in 1.30.0 ""; do
        "$tools/kubernetes-validate" ${version:+-k "$version"} --strict --quiet Deployment/kubernetes.yaml ||
            fail "kubernetes.yaml"
    done
elif [[ "${STOREKEEPER_SCHEMAS:-}" == required ]]; then
    failed=1
fi

# The proxies' own checks.
nginx="$(PATH="$PATH:/usr/sbin" command -v nginx || true)"
if [[ -n "$nginx" ]]; then
    folder="$(mktemp -d)"
    printf 'pid %s/pid; error_log stderr; events {} http { access_log off; include %s; }\n' \
        "$folder" "$PWD/Deployment/nginx.conf" >"$folder/nginx.conf"
    "$nginx" -q -t -p "$folder" -c "$folder/nginx.conf" || fail nginx.conf
    rm -rf "$folder"
fi
if command -v caddy >/dev/null; then
    caddy validate --adapter caddyfile --config Deployment/Caddyfile >/dev/null 2>.build/caddy.log ||
        { cat .build/caddy.log >&2; fail Caddyfile; }
fi
if command -v systemd-analyze >/dev/null; then
    said="$(systemd-analyze verify Deployment/storekeeper.service 2>&1 | grep -F storekeeper.service |
        grep -v 'is not executable' || true)"
    [[ -z "$said" ]] || fail "$said"
fi

# What Litestream requires of the vault.
if [[ -x .build/debug/storekeeper ]]; then
    Scripts/distribution/litestream-test.py .build/debug/storekeeper || failed=1
else
    echo "check-deployment: there is no debug build; what Litestream requires is not tested" >&2
fi
exit "$failed"
