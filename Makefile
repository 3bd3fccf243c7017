.POSIX:
.PHONY: help demo quick test check docs package install release format bench proof examples completions

# Warnings in our own code are errors here; `make test STRICT=0` lets them pass.
STRICT = 1

# SwiftPM writes the traits of packages into the compiler's options in the order of a set. Without this it is another order
# in each process, and with another order everything is compiled again.
export SWIFT_DETERMINISTIC_HASHING = 1

# `make demo PAGE=1` ends by serving the page.
PAGE =

# `make quick TARGET=StorekeeperTests FILTER=Timeline` runs the unit tests of one target whose names contain the word.
TARGET = StorekeeperTests
FILTER =

# The minutes that `make proof` may take, and the parts that it runs, if it is not to run everything.
MINUTES =
PART =

help:
	@echo 'make demo         build storekeeper and show what it does on the files in Configuration/;'
	@echo '                  with PAGE=1 serve a local App Store with its page in the end'
	@echo 'make quick        build one test target and run its unit tests; TARGET=StorekeeperTests, FILTER=WORD'
	@echo 'make test         run the tests'
	@echo 'make check        check format, house rules, names, links, documentation, deployment, linkage, traits'
	@echo 'make proof        the long tests: killed processes, fleets, laws on very many inputs, sanitizers;'
	@echo '                  continues where it stopped; MINUTES=30 limits it, PART=kills runs one part'
	@echo 'make examples     build, test and run the packages in Examples/'
	@echo 'make docs         make the documentation as one website'
	@echo 'make package      pack the program, with all that it needs, into .build/package'
	@echo 'make install      build libstorekeeper, the library for servers in other languages, and copy it to'
	@echo '                  PREFIX=/usr/local'
	@echo 'make release      make the artefacts of a release in .build/distribution and test them:'
	@echo '                  archive, Debian package, image, sums'
	@echo 'make bench        run the benchmarks in release, write Benchmarks/RESULTS.txt'
	@echo 'make format       rewrite the sources in the format of the house'
	@echo 'make completions  write shell completions to .build/completions'

demo:
	@STOREKEEPER_DEMO_PAGE=$(PAGE) Scripts/demo.sh

quick:
	@STOREKEEPER_STRICT=$(STRICT) Scripts/quick.sh '$(TARGET)' '$(FILTER)'

test:
	@STOREKEEPER_STRICT=$(STRICT) Scripts/test.sh

check:
	@Scripts/install-prerequisites.sh
	@STOREKEEPER_STRICT=$(STRICT) Scripts/check.sh

package:
	@Scripts/install-prerequisites.sh release
	@Scripts/package.sh

# `make install PREFIX=$$HOME/storekeeper`; DESTDIR precedes it, for packages.
PREFIX = /usr/local

install:
	@Scripts/install-prerequisites.sh release
	@Scripts/c-library.sh
	@Scripts/c-library.sh --install '$(PREFIX)'

release:
	@Scripts/install-prerequisites.sh release
	@Scripts/make-release.sh

docs:
	@Scripts/install-prerequisites.sh
	@Scripts/docs.sh

format:
	@Scripts/format.sh

bench:
	@Scripts/bench.sh

proof:
	@Scripts/install-prerequisites.sh
	@STOREKEEPER_STRICT=$(STRICT) Scripts/proof.py --minutes '$(MINUTES)' $(PART)

examples:
	@Scripts/install-prerequisites.sh
	@Scripts/examples.sh

completions:
	@Scripts/install-prerequisites.sh
	@Scripts/completions.sh
