#!/usr/bin/env bash
# Prepares a release: its section in the changelog, its tag, and its artefacts in .build/distribution. Publishes nothing.
#
# usage: release.sh VERSION
#        release.sh --section VERSION
#
# The working tree must be clean, and the version that of StorekeeperCommand.version, greater than that of the newest tag.
# Changes of the public interface since that tag are printed. "Unreleased" in CHANGELOG.md becomes the section of the
# version, with today's date, and is committed and tagged. Then `make release` makes and tests the artefacts. With
# --section, prints the section of a version, for the notes of a release.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source Scripts/project.sh

fail() {
    echo "release: $*" >&2
    exit 1
}

section() {
    awk -v version="$1" '
        /^## / { inside = ($2 == version); next }
        inside { print }' CHANGELOG.md | sed -e '/./,$!d'
}

if [[ "${1:-}" == --section ]]; then
    text="$(section "${2:?usage: release.sh --section VERSION}")"
    [[ -n "$text" ]] || fail "CHANGELOG.md has no section $2"
    printf '%s\n' "$text"
    exit
fi
(($# == 1)) || fail "usage: release.sh VERSION"
version="$1"
[[ "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "'$version' is not a version, such as 0.1.0"
[[ -z "$(git status --porcelain)" ]] || fail "commit or remove what 'git status' lists"
! git rev-parse --quiet --verify "refs/tags/$version" >/dev/null || fail "there is a tag $version already"
newest="$(git tag --list '[0-9]*.[0-9]*.[0-9]*' | sort -V | tail -n 1)"
[[ "$(printf '%s\n' "$newest" "$version" | sort -V | tail -n 1)" == "$version" ]] ||
    fail "$version is not greater than $newest"
grep -q "describe(\"$version\"" Sources/StorekeeperCLI/Commands/StorekeeperCommand.swift ||
    fail "StorekeeperCommand.version is not $version"
# Documents and manifests name the version in images, files of the release, and packages.
while IFS=: read -r file line named; do
    [[ "${named##*[^0-9.]}" == "$version" ]] || fail "$file:$line: '$named' is not version $version"
done < <(git grep -noE \
    'storekeeper:[0-9]+\.[0-9]+\.[0-9]+|(storekeeper[-_]|download/|Version |from: ")[0-9]+\.[0-9]+\.[0-9]+' -- \
    README.md Documentation/Guides Deployment)
[[ -n "$(section Unreleased)" ]] || fail "CHANGELOG.md has nothing under Unreleased"
[[ -z "$is_placeholder" ]] ||
    echo "release: Scripts/project.sh has no real address yet: the artefacts are for tests only" >&2
[[ -n "$licence" ]] || echo "release: Scripts/project.sh has no licence yet: the artefacts may not be used" >&2

if [[ -n "$newest" ]]; then
    swift package diagnose-api-breaking-changes "$newest" ||
        echo "release: name these changes in CHANGELOG.md, marked **breaking**, before you publish" >&2
else
    echo "release: there is no earlier tag to compare the public interface with" >&2
fi

sed -i "s/^## Unreleased\$/## Unreleased\n\n## $version - $(date -u +%Y-%m-%d)/" CHANGELOG.md
git add CHANGELOG.md
git commit --quiet -m "Release $version"
git tag --annotate "$version" -m "Storekeeper $version"
echo "release: committed and tagged $version; 'git tag -d $version' and 'git reset --hard HEAD~' take it back" >&2

make release
cat >&2 <<END
release: .build/distribution has the artefacts of $version. To publish it:
  git push origin HEAD $version
The workflow release.yml then makes its own artefacts, with the versions of packages of that day, and drafts a release
for a person to publish.
END
