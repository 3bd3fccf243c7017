.POSIX:
.PHONY: help demo test check docs package release format bench soak long examples completions

# Warnings in our own code are errors here; `make test STRICT=0` lets them pass.
STRICT = 1

# SwiftPM writes the traits of packages into the compiler's options in the order of a set. Without this it is another order
# in each process, and with another order everything is compiled again.
export SWIFT_DETERMINISTIC_HASHING = 1

# `make demo PAGE=1` ends by serving the page.
PAGE =

# The versions of the packages for `make release`; by default those of Package.resolved.
RESOLVED =

# The minutes that `make soak` and `make long` may take, and the parts that they run, if they are not to run everything.
MINUTES =
PART =

help:
	@echo 'make demo         build storekeeper and show what it does on the files in Configuration/;'
	@echo '                  with PAGE=1 serve a local App Store with its page in the end'
	@echo 'make test         run the tests'
	@echo 'make check        check format, floors, house rules, imports, interface, documentation, linkage'
	@echo 'make docs         make the documentation as one website'
	@echo 'make package      pack the program, with all that it needs, into .build/package'
	@echo 'make release      make the artefacts of a release in .build/distribution: archive, Debian package, image, sums;'
	@echo '                  RESOLVED=FILE builds with the package versions in FILE'
	@echo 'make format       rewrite the sources in the format of the house'
	@echo 'make bench        run the benchmarks in release, write Benchmarks/RESULTS.txt'
	@echo 'make soak         kill processes that write to a vault, and servers; the thread sanitizer; break the rules'
	@echo 'make long         each law on up to 100000 inputs, each parser on 1000000'
	@echo '                  both continue where they stopped; MINUTES=30 limits them, PART=kills runs one part'
	@echo 'make examples     build, test and run the packages in Examples/'
	@echo 'make completions  write shell completions to .build/completions'

demo:
	@STOREKEEPER_DEMO_PAGE=$(PAGE) Scripts/demo.sh

test:
	@STOREKEEPER_STRICT=$(STRICT) Scripts/test.sh

check:
	@Scripts/install-prerequisites.sh
	@STOREKEEPER_STRICT=$(STRICT) Scripts/check.sh

package:
	@Scripts/install-prerequisites.sh release
	@Scripts/package.sh

release:
	@Scripts/install-prerequisites.sh release
	@RESOLVED='$(RESOLVED)' Scripts/make-release.sh

docs:
	@Scripts/install-prerequisites.sh
	@Scripts/docs.sh

format:
	@Scripts/format.sh

bench:
	@Scripts/bench.sh

soak long:
	@Scripts/proof.py $@ --minutes '$(MINUTES)' $(PART)

examples:
	@Scripts/install-prerequisites.sh
	@Scripts/examples.sh

completions:
	@Scripts/install-prerequisites.sh
	@Scripts/completions.sh
