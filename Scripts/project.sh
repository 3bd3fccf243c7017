# Sourced by the scripts that make releases: what only the owner of the project decides. No other script, manifest or
# workflow contains the address, except the name of Go's module; Scripts/check-deployment.sh compares that and the mentions
# in documentation with it.

# Where the repository is published.
repository=https://github.com/example/storekeeper
# 1 until that is the real address: artefacts are then for tests only. Empty it with the address.
is_placeholder=1
# Who answers for the packages.
maintainer="The Storekeeper maintainers <storekeeper@example.com>"
# The SPDX identifier of the project's licence; empty until there is one.
licence=
